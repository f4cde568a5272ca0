# Before each case. Its folder has kernel.S, bad.S (a kernel that is wrong by one instruction), support.c, and of these
# good.o, bad.o, support.o and good.so; certificates-of has the right kernel's certificates; N is the function's name.
set -euo pipefail

# edit FROM TO: an ELF file changed by lines of Python, in which it is `e`.
edit() {
    python3 -c "
import sys
from crafted import *
N, e = '$N', Elf('$1')
exec(sys.stdin.read())
e.save('$2')"
}

# pack TO: an archive whose members and index lines of Python give.
pack() {
    python3 -c "
import sys
from crafted import *
N, read = '$N', lambda path: open(path, 'rb').read()
members, index, wide = [('good.o/', read('good.o'))], [('$N', 0), ('${N}_schedule', 0)], False
exec(sys.stdin.read())
open('$1', 'wb').write(archive(members, index, wide))"
}
