//! Reads archives as linkers do: a sequence of members with headers, and the index of symbols by which linkers find a
//! member. A file that is no archive counts as its own only member.

use super::optimized::is_bitcode;
use crate::EmitError;
use object::archive::{MAGIC, THIN_MAGIC};
use object::elf::ELFMAG;
use std::collections::{HashMap, HashSet};

/// Size of a member's header in bytes.
const HEADER: usize = 60;

/// A member of an archive.
pub(crate) struct Member<'f> {
    /// Its name; a file that is no archive has none.
    pub name: Option<String>,
    /// Its bytes.
    pub data: &'f [u8],
}

/// The members of a file, and its index of symbols.
pub(crate) struct Archive<'f> {
    /// Members in file order.
    pub members: Vec<Member<'f>>,
    /// Names, each with the number of its member; `None` if the file has no index.
    index: Option<Vec<(String, usize)>>,
    /// Places in the index by the name without version, and by the number of the member.
    by_name: HashMap<String, Vec<usize>>,
    by_member: HashMap<usize, Vec<usize>>,
}

fn damaged(why: &str) -> EmitError {
    EmitError(format!("the file is a damaged archive: {why}"))
}

/// Parses a decimal number that fills a field, except for spaces behind it.
fn decimal(field: &[u8]) -> Option<usize> {
    let text = field.trim_ascii_end();
    let plain = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    plain.then(|| std::str::from_utf8(text).ok()?.parse().ok()).flatten()
}

/// The members found so far, their numbers by header offset, and the tables before them.
#[derive(Default)]
struct Walk<'f> {
    members: Vec<Member<'f>>,
    headers: HashMap<u64, usize>,
    long_names: Option<&'f [u8]>,
    /// The index, with the size of its numbers in bytes.
    index: Option<(&'f [u8], usize)>,
}

impl<'f> Archive<'f> {
    /// Splits a file into its members.
    ///
    /// # Errors
    /// Archives that are damaged, that only name their objects (thin), or whose style linkers read in several ways.
    pub fn read(file: &'f [u8]) -> Result<Archive<'f>, EmitError> {
        if file.starts_with(&THIN_MAGIC) {
            return Err(EmitError(
                "the file is a thin archive, which only names its objects: give those, or make it without `T`"
                    .into(),
            ));
        }
        if !file.starts_with(&MAGIC) {
            return Ok(Archive::new(vec![Member { name: None, data: file }], None));
        }
        let mut walk = Walk::default();
        let mut at = MAGIC.len();
        while at < file.len() {
            let header = file.get(at..at + HEADER).ok_or_else(|| damaged("it ends in a member's header"))?;
            if !header.ends_with(b"`\n") {
                return Err(damaged(&format!("at {at:#x} there is no member's header")));
            }
            let size = decimal(&header[48..58])
                .ok_or_else(|| damaged(&format!("the member at {at:#x} has no size")))?;
            let end = (at + HEADER).checked_add(size).filter(|end| *end <= file.len());
            let end =
                end.ok_or_else(|| damaged(&format!("the member at {at:#x} reaches out of the file")))?;
            walk.member(at, header[..16].trim_ascii_end(), &file[at + HEADER..end])?;
            at = end + end % 2;
        }
        let index = match walk.index {
            None => None,
            Some((data, bytes)) => Some(entries(data, bytes, &walk.headers)?),
        };
        Ok(Archive::new(walk.members, index))
    }

    fn new(members: Vec<Member<'f>>, index: Option<Vec<(String, usize)>>) -> Archive<'f> {
        let (mut by_name, mut by_member): (HashMap<String, Vec<usize>>, HashMap<usize, Vec<usize>>) =
            Default::default();
        for (at, (name, member)) in index.iter().flatten().enumerate() {
            by_name.entry(plain(name).to_owned()).or_default().push(at);
            by_member.entry(*member).or_default().push(at);
        }
        Archive { members, index, by_name, by_member }
    }

    /// Entries of the index by their places.
    fn entries<'n>(&'n self, places: Option<&'n Vec<usize>>) -> impl Iterator<Item = &'n (String, usize)> {
        let all = self.index.as_deref().unwrap_or_default();
        places.into_iter().flatten().filter_map(move |at| all.get(*at))
    }

    /// Checks the index against the names that each member defines, where these are known: linkers load a member for a
    /// name because the index says so.
    ///
    /// # Errors
    /// A name that its member does not define, or whose member is neither an ELF object nor bitcode.
    pub(crate) fn check_index(&self, defined: &[Option<HashSet<String>>]) -> Result<(), EmitError> {
        for (name, member) in self.index.iter().flatten() {
            let name = plain(name);
            let data = self.members[*member].data;
            if !data.starts_with(&ELFMAG) && !is_bitcode(data) {
                return Err(EmitError(format!(
                    "the archive's index of symbols leads from `{name}` to its member {}, which is no ELF object: linkers that \
                     know its form would link it",
                    self.shown(*member)
                )));
            }
            if let Some(Some(names)) = defined.get(*member)
                && !names.contains(name)
            {
                return Err(EmitError(format!(
                    "the archive's index of symbols says that its member {} defines `{name}`, which it does not: \
                     the index is not of these members (`ranlib` makes it anew)",
                    self.shown(*member)
                )));
            }
        }
        Ok(())
    }

    /// Returns the names that the index assigns to a member, without their versions.
    pub fn indexed(&self, member: usize) -> impl Iterator<Item = &str> {
        self.entries(self.by_member.get(&member)).map(|(name, _)| plain(name))
    }

    /// True if linkers may load a member: the index assigns a name to it, or there is no index.
    pub fn is_taken(&self, member: usize) -> bool {
        self.index.is_none() || self.indexed(member).next().is_some()
    }

    /// Checks that linkers that look up a name find this member.
    ///
    /// # Errors
    /// The index lacks the name, or assigns it to another member.
    pub fn leads(&self, name: &str, member: usize) -> Result<(), EmitError> {
        if self.index.is_none() {
            return Ok(());
        }
        if self.leads_to(name).next().is_none() {
            return Err(EmitError(format!(
                "`{name}` is not in the archive's index of symbols, so that linkers do not find it there: \
                 `ranlib` makes the index anew"
            )));
        }
        match self.another(name, member) {
            Some(other) => Err(EmitError(format!(
                "the archive's index of symbols leads from `{name}` to its member {}, and this function is \
                 another",
                self.shown(other)
            ))),
            None => Ok(()),
        }
    }

    /// The members to which the index leads from a name.
    fn leads_to<'n>(&'n self, name: &'n str) -> impl Iterator<Item = usize> + 'n {
        let of_name = self.entries(self.by_name.get(plain(name)));
        of_name.filter(move |(known, _)| is(known, name)).map(|(_, of)| *of)
    }

    /// Another member to which the index leads from a name.
    pub(crate) fn another(&self, name: &str, member: usize) -> Option<usize> {
        self.leads_to(name).find(|of| *of != member)
    }

    fn shown(&self, member: usize) -> &str {
        self.members.get(member).and_then(|m| m.name.as_deref()).unwrap_or("without name")
    }
}

impl<'f> Walk<'f> {
    /// Adds a member, or one of the tables that precede all members.
    fn member(&mut self, at: usize, field: &[u8], data: &'f [u8]) -> Result<(), EmitError> {
        let first = self.members.is_empty() && self.long_names.is_none();
        let shown = || String::from_utf8_lossy(field).into_owned();
        match field {
            b"/" | b"/SYM64/" if first && self.index.is_none() => {
                self.index = Some((data, if field == b"/" { 4 } else { 8 }));
                return Ok(());
            }
            b"//" if first => {
                self.long_names = Some(data);
                return Ok(());
            }
            // Names with a meaning for linkers: GNU's in another place, and those of BSD, COFF and ECOFF.
            _ if [&b"#1/"[..], b"__.SYMDEF", b"ARFILENAMES/", b"__________"]
                .iter()
                .any(|special| field.starts_with(special)) =>
            {
                return Err(EmitError(format!(
                    "the archive has a member `{}`, which linkers read in several ways: make it anew with GNU's \
                     or LLVM's `ar`",
                    shown()
                )));
            }
            _ => {}
        }
        let name = match field.strip_prefix(b"/") {
            None => String::from_utf8_lossy(field.strip_suffix(b"/").unwrap_or(field)).into_owned(),
            Some(number) => {
                let name = decimal(number).and_then(|at| self.long_names?.get(at..));
                let name = name.and_then(|rest| rest.split(|byte| *byte == b'\n').next());
                let name = name.ok_or_else(|| {
                    damaged(&format!(
                        "its member `{}` has no name, and is of no kind that linkers know",
                        shown()
                    ))
                })?;
                String::from_utf8_lossy(name.strip_suffix(b"/").unwrap_or(name)).into_owned()
            }
        };
        self.headers.insert(at as u64, self.members.len());
        self.members.push(Member { name: Some(name), data });
        Ok(())
    }
}

/// True if a name of an index is this name. For linkers a version is a part of a name, unless it is the default version.
fn is(known: &str, name: &str) -> bool {
    known == name || known.strip_prefix(name).is_some_and(|v| v.starts_with("@@"))
}

/// Returns a name without its version.
fn plain(name: &str) -> &str {
    name.split('@').next().unwrap_or_default()
}

/// Reads an index of symbols: a count, the header offset of each entry, the name of each entry. Its numbers are
/// big-endian and `bytes` bytes long.
fn entries(
    data: &[u8],
    bytes: usize,
    headers: &HashMap<u64, usize>,
) -> Result<Vec<(String, usize)>, EmitError> {
    let wrong = || damaged("its index of symbols cannot be read");
    let number = |at: usize| {
        let field = data.get(at..at.checked_add(bytes)?)?;
        Some(field.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte)))
    };
    let count = number(0).and_then(|count| usize::try_from(count).ok()).ok_or_else(wrong)?;
    let end = count.checked_add(1).and_then(|all| all.checked_mul(bytes)).ok_or_else(wrong)?;
    let mut names = data.get(end..).ok_or_else(wrong)?;
    let mut all = Vec::with_capacity(count);
    for entry in 0..count {
        let length = names.iter().position(|byte| *byte == 0).ok_or_else(wrong)?;
        let name = String::from_utf8_lossy(&names[..length]).into_owned();
        names = &names[length + 1..];
        let place = number((entry + 1) * bytes).ok_or_else(wrong)?;
        let member = headers.get(&place).ok_or_else(|| {
            EmitError(format!(
                "the archive's index of symbols leads from `{name}` to {place:#x}, where no member begins: linkers \
                 would load what stands there"
            ))
        })?;
        all.push((name, *member));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, data: &[u8]) -> Vec<u8> {
        let mut all =
            format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len()).into_bytes();
        all.extend(data);
        all.resize(all.len().next_multiple_of(2), b'\n');
        all
    }

    fn archive(members: &[Vec<u8>]) -> Vec<u8> {
        [&MAGIC[..], &members.concat()].concat()
    }

    fn index(entries: &[(&str, u32)]) -> Vec<u8> {
        let mut data = (entries.len() as u32).to_be_bytes().to_vec();
        entries.iter().for_each(|(_, at)| data.extend(at.to_be_bytes()));
        entries.iter().for_each(|(name, _)| data.extend([name.as_bytes(), b"\0"].concat()));
        member("/", &data)
    }

    #[test]
    fn members_and_their_names_are_read() {
        let file =
            archive(&[member("//", b"a-name-that-is-long.o/\n"), member("/0", b"x"), member("b.o/", b"yz")]);
        let read = Archive::read(&file).unwrap();
        let all: Vec<(Option<&str>, &[u8])> =
            read.members.iter().map(|m| (m.name.as_deref(), m.data)).collect();
        assert_eq!(all, [(Some("a-name-that-is-long.o"), &b"x"[..]), (Some("b.o"), b"yz")]);
        assert_eq!(read.leads("f", 0), Ok(()), "without an index linkers read all members, or refuse all");
    }

    #[test]
    fn an_index_leads_to_headers_of_members() {
        // Header of the index, a count, one offset, a name and a byte of padding.
        let first = 8 + 60 + 4 + 4 + 2;
        let of =
            |place: u32| archive(&[index(&[("f", place)]), member("a.o/", &ELFMAG), member("b.o/", b"text")]);
        let file = of(first);
        let read = Archive::read(&file).unwrap();
        assert_eq!((read.leads("f", 0), read.leads("f", 1).is_err()), (Ok(()), true));
        assert!(read.leads("g", 0).unwrap_err().0.contains("ranlib"));
        assert_eq!(read.indexed(0).collect::<Vec<_>>(), ["f"]);
        assert!(read.is_taken(0) && !read.is_taken(1));
        let defines = |name: &str| read.check_index(&[Some(HashSet::from([name.to_owned()])), None]);
        assert_eq!((defines("f"), defines("g").is_err()), (Ok(()), true));
        let text = of(first + 60 + 4);
        assert!(Archive::read(&text).unwrap().check_index(&[]).unwrap_err().0.contains("no ELF object"));
        for name in ["f@v", "f@@v"] {
            let file = archive(&[
                index(&[(name, (8 + 60 + 4 + 4 + name.len() as u32 + 2) & !1)]),
                member("a.o/", &ELFMAG),
            ]);
            assert_eq!(Archive::read(&file).map(|read| read.leads("f", 0).is_ok()), Ok(name == "f@@v"));
        }
        for elsewhere in [0, 8, first + 1, first + 2, first + 60, first + 2000] {
            assert!(Archive::read(&of(elsewhere)).is_err(), "{elsewhere}");
        }
    }

    /// The compiler of the linker defines the name there.
    #[test]
    fn names_that_an_index_leads_to_unknown_bitcode_are_refused() {
        let (name, bitcode) = ("aes128_ctr", *b"BC\xc0\xde");
        let first = (8 + 60 + 4 + 4 + name.len() as u32 + 2) & !1;
        let file = archive(&[index(&[(name, first)]), member("b.o/", &bitcode)]);
        let all = crate::objects::contents(&file).unwrap();
        let [found] = &all.functions[..] else { panic!("{all:?}") };
        assert_eq!((&*found.symbol, found.bytes.is_err()), (name, true));
    }

    #[test]
    fn what_linkers_read_in_several_ways_is_refused() {
        let x = || member("x.o/", b"x");
        for (members, why) in [
            (vec![member("#1/4", b"x.o\0data")], "several ways"),
            (vec![member("__.SYMDEF", b"\0\0\0\0"), x()], "several ways"),
            (vec![x(), index(&[])], "of no kind that linkers know"),
            (vec![index(&[]), index(&[]), x()], "of no kind that linkers know"),
            (vec![x(), member("//", b"y/\n")], "of no kind that linkers know"),
            (vec![member("/7", b"x")], "of no kind that linkers know"),
        ] {
            let error = Archive::read(&archive(&members)).map(|_| ()).unwrap_err().0;
            assert!(error.contains(why), "{why}: {error}");
        }
        let whole = archive(&[x()]);
        for (at, byte) in [(8 + 48, b'-'), (8 + 48, b' '), (8 + 48, b'9'), (8 + 58, b' ')] {
            let mut changed = whole.clone();
            changed[at] = byte;
            assert!(Archive::read(&changed).is_err(), "{at} {byte}");
        }
        let mut signed = whole.clone();
        signed[8 + 48..8 + 50].copy_from_slice(b"+1");
        assert!(Archive::read(&signed).is_err(), "a size with a sign");
        assert!(Archive::read(&whole[..40]).is_err());
        assert!(Archive::read(b"!<thin>\n").is_err());
    }
}
