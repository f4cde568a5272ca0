#!/usr/bin/env bash
# Checks the proofs in crates/check/rocq with Rocq (`coqc`): each file compiles, has no unfinished proof, and no theorem
# or lemma depends on an axiom. Compiled files go to a temporary folder.
set -euo pipefail

cd "$(dirname "$0")/../crates/check/rocq"
# In the order in which they use each other.
files=(Induction Words Lanes Inequalities Aes)
built=$(mktemp -d)
trap 'rm -rf "$built"' EXIT

for file in *.v; do
    case " ${files[*]} " in *" ${file%.v} "*) ;; *) echo "$file is not in the list of scripts/rocq.sh" && exit 1 ;; esac
done
if grep -nwE 'Axioms?|Admitted|admit|give_up|Conjectures?|Parameters?|bypass_check' ./*.v; then
    echo 'these lines have an axiom or an unfinished proof'
    exit 1
fi
cp ./*.v "$built"
cd "$built"
for file in "${files[@]}"; do
    coqc -q -R . Aesmith "$file.v"
done

# Variables outside of sections are axioms, too: all theorems are asked what they depend on.
{
    for file in "${files[@]}"; do
        echo "From Aesmith Require $file."
        sed -nE "s/^ *(Theorem|Lemma|Corollary|Example) ([A-Za-z_0-9]+).*/Print Assumptions Aesmith.$file.\\2./p" "$file.v"
    done
} >Assumptions.v
names=$(grep -c '^Print' Assumptions.v)
closed=$(coqc -q -R . Aesmith Assumptions.v | tee assumptions | grep -c '^Closed under the global context$' || true)
if [ "$names" -lt 60 ] || [ "$closed" -ne "$names" ]; then
    cat assumptions
    echo "$closed of $names theorems and lemmas depend on no axiom"
    exit 1
fi
# A second, smaller program reads the compiled proofs again.
if command -v coqchk >/dev/null; then
    coqchk -silent -o -R . Aesmith "${files[@]/#/Aesmith.}" >checked 2>&1 || { cat checked && exit 1; }
    if ! grep -A1 'Axioms:' checked | grep -q '<none>'; then
        cat checked
        exit 1
    fi
fi
echo "$names theorems and lemmas in ${#files[@]} files depend on no axiom ($(coqc --version | head -n1))"
