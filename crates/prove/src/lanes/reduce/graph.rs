//! The blocks of a kernel's code, in an order that depends only on their control flow.

use aesmith_isa::instructions::Leads;

use super::free::GaveUp;
use crate::lanes::code::Code;

/// A basic block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The index of the first instruction in the code's list.
    pub first: usize,
    /// The index of the last instruction.
    pub last: usize,
    /// The block behind it, and the target of its branch.
    pub next: [Option<usize>; 2],
    /// The predecessors, ascending, once for each edge.
    pub before: Vec<usize>,
    /// The blocks of the loop that begins here, ascending, the head first. Empty if no loop does.
    pub body: Vec<usize>,
}

/// All reachable blocks. A block comes before its successors, except for the heads of loops.
#[derive(Default)]
pub struct Graph {
    /// The blocks.
    pub blocks: Vec<Block>,
}

impl Graph {
    /// The blocks of some code.
    pub fn of(code: &Code) -> Result<Graph, GaveUp> {
        let count = code.list.len();
        let outside = GaveUp("a jump to what is no instruction");
        // A block is consecutive instructions in the list; these are executed in sequence only if none begins within
        // another.
        if code.list.windows(2).any(|pair| pair[0].end > pair[1].offset) {
            return Err(GaveUp("instructions that overlap"));
        }
        let mut starts = vec![false; count + 1];
        *starts.first_mut().ok_or(outside)? = true;
        for (place, instruction) in code.list.iter().enumerate() {
            match instruction.leads {
                Leads::Next => {}
                Leads::Jump(_) | Leads::Branch { .. } => {
                    starts[code.target(instruction).ok_or(outside)?] = true;
                    starts[place + 1] = true;
                }
                Leads::Return => starts[place + 1] = true,
                Leads::Elsewhere | Leads::Nowhere => return Err(GaveUp("a jump to an unknown place")),
            }
        }
        let last = |first: usize| (first..count).find(|&place| starts[place + 1]).unwrap_or(count - 1);
        // Along the code first, then along branches.
        let next = |last: usize| -> Result<[Option<usize>; 2], GaveUp> {
            let instruction = &code.list[last];
            let target = code.target(instruction);
            let behind = match instruction.leads.ends() {
                true => None,
                false => Some(code.place(instruction.end).ok_or(outside)?),
            };
            Ok([behind, target])
        };
        let mut number = vec![usize::MAX; count];
        let mut open: Vec<(usize, usize)> = vec![(0, 0)];
        let mut order: Vec<usize> = Vec::new();
        number[0] = 0;
        while let Some((first, way)) = open.pop() {
            if way == 2 {
                order.push(first);
                continue;
            }
            open.push((first, way + 1));
            // The block behind a block comes right after it: it is visited last.
            if let Some(to) = next(last(first))?[1 - way]
                && number[to] == usize::MAX
            {
                number[to] = 0;
                open.push((to, 0));
            }
        }
        order.reverse();
        for (k, &first) in order.iter().enumerate() {
            number[first] = k;
        }
        let mut blocks: Vec<Block> = Vec::with_capacity(order.len());
        for &first in &order {
            let last = last(first);
            let next = next(last)?.map(|to| to.map(|first| number[first]));
            blocks.push(Block { first, last, next, before: Vec::new(), body: Vec::new() });
        }
        for from in 0..blocks.len() {
            for to in blocks[from].next.into_iter().flatten() {
                blocks[to].before.push(from);
            }
        }
        let mut graph = Graph { blocks };
        for head in 0..graph.blocks.len() {
            graph.blocks[head].body = graph.loop_of(head)?;
        }
        Ok(graph)
    }

    /// The blocks from which the head is reached again without passing it; none if no loop begins there.
    fn loop_of(&self, head: usize) -> Result<Vec<usize>, GaveUp> {
        let mut body = vec![head];
        let mut open: Vec<usize> =
            self.blocks[head].before.iter().copied().filter(|&from| from >= head).collect();
        if open.is_empty() {
            return Ok(Vec::new());
        }
        while let Some(block) = open.pop() {
            if body.contains(&block) {
                continue;
            }
            // A block before the head would enter the loop at a second place.
            if block < head || block == 0 {
                return Err(GaveUp("a loop that is entered at two places"));
            }
            body.push(block);
            open.extend(&self.blocks[block].before);
        }
        body.sort_unstable();
        Ok(body)
    }
}
