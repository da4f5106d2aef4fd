//! Timelines as a tree, drawn with lines.

use std::collections::BTreeSet;

/// One timeline: its name and its parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node<'a> {
    pub(crate) name: &'a str,
    pub(crate) parent: Option<&'a str>,
}

/// A node where it stands in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Its place among the nodes.
    pub(crate) node: usize,
    /// The lines that lead to it.
    pub(crate) lead: String,
    /// Those that pass it on their way down.
    pub(crate) below: String,
}

/// The nodes in the order of the tree. A timeline whose parent is gone stands at the left; so does
/// one of a circle of parents.
pub(crate) fn draw(nodes: &[Node<'_>]) -> Vec<Drawn> {
    let known: BTreeSet<&str> = nodes.iter().map(|node| node.name).collect();
    let is_root = |node: &Node<'_>| {
        node.parent.is_none_or(|parent| parent == node.name || !known.contains(parent))
    };
    let mut drawing = Drawing { nodes, drawn: BTreeSet::new(), lines: Vec::new() };
    for (index, _) in nodes.iter().enumerate().filter(|(_, node)| is_root(node)) {
        drawing.add(index, "", "");
    }
    for index in 0..nodes.len() {
        drawing.add(index, "", "");
    }
    drawing.lines
}

struct Drawing<'a> {
    nodes: &'a [Node<'a>],
    drawn: BTreeSet<usize>,
    lines: Vec<Drawn>,
}

impl Drawing<'_> {
    fn add(&mut self, index: usize, here: &str, below: &str) {
        if !self.drawn.insert(index) {
            return;
        }
        let name = self.nodes[index].name;
        let is_child =
            |other: &usize| self.nodes[*other].parent == Some(name) && !self.drawn.contains(other);
        let children: Vec<usize> = (0..self.nodes.len()).filter(is_child).collect();
        let passing = if children.is_empty() { "" } else { "│  " };
        let below_it = format!("{below}{passing}");
        self.lines.push(Drawn { node: index, lead: here.to_owned(), below: below_it });
        for (place, child) in children.iter().enumerate() {
            let (corner, line) =
                if place + 1 == children.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            self.add(*child, &format!("{below}{corner}"), &format!("{below}{line}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(nodes: &[(&str, Option<&str>)]) -> Vec<String> {
        let nodes: Vec<Node<'_>> =
            nodes.iter().map(|&(name, parent)| Node { name, parent }).collect();
        draw(&nodes)
            .into_iter()
            .map(|drawn| format!("{}{}", drawn.lead, nodes[drawn.node].name))
            .collect()
    }

    #[test]
    fn children_stand_below_their_parent() {
        let nodes =
            [("a", None), ("c", Some("a")), ("d", Some("c")), ("b", Some("a")), ("z", None)];
        assert_eq!(drawn(&nodes), ["a", "├─ c", "│  └─ d", "└─ b", "z"]);
    }

    #[test]
    fn lines_that_go_on_pass_what_stands_between() {
        let nodes = ["a", "b", "c", "d"].map(|name| Node {
            name,
            parent: match name {
                "b" | "d" => Some("a"),
                "c" => Some("b"),
                _ => None,
            },
        });
        let below: Vec<String> = draw(&nodes).into_iter().map(|drawn| drawn.below).collect();
        assert_eq!(below, ["│  ", "│  │  ", "│     ", "   "]);
    }

    #[test]
    fn who_has_no_parent_any_more_or_a_circle_of_them_is_drawn_once() {
        assert_eq!(drawn(&[("b", Some("gone")), ("a", Some("a"))]), ["b", "a"]);
        assert_eq!(drawn(&[("a", Some("b")), ("b", Some("a"))]), ["a", "└─ b"]);
    }
}
