//! Occupancy: the thread blocks and warps that are resident on a multiprocessor.

use super::GridPage;
use crate::html::{MISSING, Table, count, escape};

pub fn occupancy(page: &GridPage) -> String {
    let mut bars = String::new();
    for bound in &page.bounds {
        let (name, room) = (escape(&bound.architecture), &bound.room);
        let share = f64::from(room.warps) / f64::from(room.most_warps.max(1));
        bars.push_str(&format!(
            "<div class=\"unit\"><span>{name}</span><span class=\"track\"><i class=\"mark best\" style=\"width:{:.2}%\"></i>\
             </span><span class=\"value\">{} of {}</span><span class=\"of\">{}</span></div>",
            (100.0 * share).clamp(0.0, 100.0),
            room.warps,
            room.most_warps,
            said(room.blocks, &room.limit)
        ));
    }
    let mut columns = vec![("thread blocks by", false)];
    columns.extend(page.bounds.iter().map(|bound| (bound.architecture.as_str(), true)));
    let mut table = Table::with("Resident thread blocks by limit", &columns);
    let limits = page.bounds.first().map_or(&[][..], |bound| &bound.room.limits);
    for (at, (name, _)) in limits.iter().enumerate() {
        let mut cells = vec![escape(name)];
        cells.extend(page.bounds.iter().map(|bound| {
            let most = bound.room.limits.get(at).and_then(|(_, most)| *most);
            let shown = most.map_or(MISSING.into(), |most| count(most.into()));
            if bound.room.limit == *name { format!("<span class=\"ours\">{shown}</span>") } else { shown }
        }));
        table.row(&cells);
    }
    let mut row = |name: &str, of: &dyn Fn(&super::GridBound) -> String| {
        let mut cells = vec![name.to_owned()];
        cells.extend(page.bounds.iter().map(of));
        table.row(&cells);
    };
    row("resident blocks", &|bound| format!("<strong>{}</strong>", bound.room.blocks));
    row("resident warps", &|bound| format!("{} of {}", bound.room.warps, bound.room.most_warps));
    let unknown = page.bounds.iter().any(|bound| {
        let uncounted = bound.room.limits.iter().any(|(name, most)| name == "registers" && most.is_none());
        uncounted && bound.room.blocks > 0
    });
    let unknown = match unknown {
        true => {
            " Without counted machine code the number of registers is unknown, and fewer blocks may be resident than the \
             other limits allow."
        }
        false => "",
    };
    format!(
        "<p class=\"caption\">Resident warps of a multiprocessor, out of its maximum: computed from the resources that the kernel \
         needs, not measured. The limit that allows the fewest thread blocks decides.{unknown}</p><div class=\"bars\" \
         id=\"occupancy-plot\">{bars}</div>{}",
        table.finish()
    )
}

fn said(blocks: u32, limit: &str) -> String {
    match blocks {
        0 => format!("no thread block, limited by {}", escape(limit)),
        1 => format!("one thread block, limited by {}", escape(limit)),
        n => format!("{n} thread blocks, limited by {}", escape(limit)),
    }
}
