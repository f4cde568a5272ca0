//! Restrictions of dimensions to some values: `--only NAME=VALUES`.

use crate::failure::Failure;
use aesmith_arrange::earlier::{Allowed, narrow};
use aesmith_arrange::{Dimension, Table, Technique};
use aesmith_cipher::{Problem, problem::nearest};

/// The restrictions by each `--only`, the values of each dimension in ascending order. Several restrictions of a dimension hold together.
pub fn restrictions(table: &Table, problem: Option<Problem>, only: &[String]) -> Result<Allowed, Failure> {
    let mut all = Allowed::new();
    for text in only {
        let contradicts =
            |_: &Dimension| Failure::Usage(format!("--only {text}: it contradicts another --only"));
        narrow(&mut all, values_of(table, problem, text)?).map_err(contradicts)?;
    }
    Ok(all)
}

/// Reads values by names of earlier versions; `None` if all are of today.
fn earlier_values_of(table: &Table, problem: Problem, text: &str) -> Result<Option<Allowed>, String> {
    let (name, values) = text.split_once('=').unwrap_or((text, ""));
    let words: Vec<String> = values.split(',').map(|value| format!("{name}={value}")).collect();
    if words.iter().all(|word| table.restricted(problem, word).is_none()) {
        return Ok(None);
    }
    let mut found = Allowed::new();
    for word in &words {
        let allowed: Allowed = match table.restricted(problem, word) {
            Some(allowed) => allowed?,
            None => {
                let value = word.split_once('=').map_or("", |(_, value)| value);
                let dimension = table.find(problem, Technique::default(), name)?;
                vec![(dimension, vec![dimension.read(value)?])]
            }
        };
        let same = |(one, _): &(&Dimension, Vec<u16>)| allowed.iter().all(|(other, _)| one == other);
        if !found.is_empty() && (allowed.len() > 1 || !found.iter().all(same)) {
            return Err(
                "its values are of several dimensions today: give each restriction by an --only of its own, \
                        with the names that `aesmith space` lists"
                    .into(),
            );
        }
        match found.first_mut() {
            Some((_, known)) => known.extend(allowed.into_iter().flat_map(|(_, values)| values)),
            None => found = allowed,
        }
    }
    for (_, values) in &mut found {
        values.sort_unstable();
        values.dedup();
    }
    Ok(Some(found))
}

/// Reads `NAME=VALUES`: values separated by commas, or a range of numbers, `1..8`.
fn values_of(table: &Table, problem: Option<Problem>, text: &str) -> Result<Allowed, Failure> {
    let usage = |why: String| Failure::Usage(format!("--only {text}: {why}"));
    let (name, values) =
        text.split_once('=').ok_or_else(|| usage("it is not of the form NAME=VALUES".into()))?;
    let problem = problem.ok_or_else(|| usage("it is about one problem, and none is named".into()))?;
    if let Some(found) = earlier_values_of(table, problem, text).map_err(usage)? {
        return Ok(found);
    }
    let all = || table.dimensions.iter().filter(|d| Technique::ALL.iter().any(|&t| (d.has)(problem, t)));
    let Some(dimension) = all().find(|d| d.name == name) else {
        let names: Vec<String> = all().map(|d| d.name.to_owned()).collect();
        return Err(usage(format!(
            "{problem} has no dimension `{name}`; did you mean {}?",
            nearest(name, &names, 2).join(", ")
        )));
    };
    let mut all = Vec::new();
    for word in values.split(',') {
        let read = |text: &str| dimension.read(text).map_err(|e| usage(e.to_string()));
        match word.split_once("..") {
            Some((first, last)) => all.extend(read(first)?..=read(last.trim_start_matches('='))?),
            None => all.push(read(word)?),
        }
    }
    all.sort_unstable();
    all.dedup();
    if all.is_empty() {
        return Err(usage("the range is empty".into()));
    }
    Ok(vec![(dimension, all)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_x86::dimensions::{Dim, TABLE};

    #[test]
    fn restrictions_read() {
        let problem: Problem = "aes256-ctr".parse().unwrap();
        let read = |text| values_of(&TABLE, Some(problem), text).map_err(|f| f.sentence().unwrap());
        assert_eq!(read("interleave=1..4,8"), Ok(vec![(Dim::Interleave.into(), vec![1, 2, 3, 4, 8])]));
        assert_eq!(read("keys=0x7fff"), Ok(vec![(Dim::Keys.into(), vec![0x7fff])]));
        assert_eq!(read("width=xmm,zmm"), Ok(vec![(Dim::Width.into(), vec![0, 2])]));
        assert!(read("interlave=1").unwrap_err().contains("interleave"));
        assert!(read("interleave=99").unwrap_err().contains("0 to 15"));
        assert!(read("interleave=4..1").unwrap_err().contains("empty"));
    }

    #[test]
    fn restrictions_read_names_of_earlier_versions() {
        let problem: Problem = "aes128-ecb".parse().unwrap();
        let read = |processor: &str, text: &str| {
            let table = aesmith_processors::find(processor).unwrap().table();
            let words = |(dimension, values): (&Dimension, Vec<u16>)| {
                let values: Vec<String> = values.iter().map(|value| dimension.show(*value)).collect();
                format!("{}={}", dimension.name, values.join(","))
            };
            let found = values_of(table, Some(problem), text).map_err(|f| f.sentence().unwrap())?;
            Ok::<_, String>(found.into_iter().map(words).collect::<Vec<_>>().join(" "))
        };
        for (processor, was, now) in [
            ("cortex-m3", "technique=tables", "technique=table,bytewise"),
            ("cortex-m3", "technique=tables,fixsliced", "technique=table,bytewise,bitsliced"),
            ("cortex-m0", "entries=bytes", "technique=bytewise"),
            ("arm7tdmi", "state=bytes", "technique=table,bytewise"),
            ("arm7tdmi", "technique=table,sbox", "technique=table,bytewise"),
            ("rv32i", "technique=halves", "technique=table tables=2"),
            ("microblaze-5", "technique=sliced", "technique=bitsliced"),
            ("spu", "rows=fixed", "shiftrows=fixsliced"),
        ] {
            assert_eq!(read(processor, was), Ok(now.to_owned()), "{processor} {was}");
        }
        assert!(read("rv32i", "technique=halves,sbox").unwrap_err().contains("several dimensions"));
        assert!(read("rv32i", "state=none").unwrap_err().contains("state"));
    }

    #[test]
    fn several_restrictions_of_a_dimension_hold_together() {
        let table = aesmith_processors::find("avr").unwrap().table();
        let problem: Problem = "aes128-ecb".parse().unwrap();
        let read = |only: &[&str]| {
            let only: Vec<String> = only.iter().map(|text| (*text).to_owned()).collect();
            restrictions(table, Some(problem), &only)
        };
        assert_eq!(read(&["doubling=mask,branch", "doubling=mask"]).unwrap()[0].1.len(), 1);
        assert!(read(&["doubling=mask", "doubling=branch"]).is_err());
    }
}
