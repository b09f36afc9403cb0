//! The headers that are known: which names people and programs give to the columns of judgements, and what they mean.
//!
//! | header | kind | meaning |
//! |---|---|---|
//! | `head,winner,loser` (Salmon), `anchor,positive,negative`, `head,near,far`, `query,closer,farther` … | triplets | the first is nearer to the second than to the third |
//! | `i,j,k` | triplets | i is nearer to j than to k |
//! | `resp,S1,S2,S3` (MLDS) | triplets | `resp` 1: S2 and S3 differ more than S1 and S2 |
//! | `i,j,k,l`, `a,b,c,d` | quadruplets | the first two are nearer than the last two |
//! | `resp,S1,S2,S3,S4` (MLDS) | quadruplets | `resp` 1: S3 and S4 differ more than S1 and S2 |
//! | `stim1,stim2,stim3,odd`, `stim1_name,stim2_name,stim3_name,choice` | odd-one-out | the last names the odd one |
//! | `stim1,stim2,stim3,central` | most-central | the last names the one between the others |
//! | `head,chosen1 …,rest1 …`, `head,shown1 …,chosen1 …` | choices | the chosen are nearer to the head than the rest |
//! | `head,rank1,rank2 …` | ranks | nearest first |
//! | `session,result,clicked`, `query_id,document,click` … | clicks | results shown in a list, opened or not |
//! | `from,to,label` | pairs | alike or not |
//! | `from,to,grade` · `from,to,likeness` | pairs | how alike, in whole numbers: 1 the most · the largest the most |
//! | `object,class` · `object,path` · `parent,child` | classes · paths · taxonomy | |
//! | `object,group,participant` | sorts | who put the object into which group |

use std::collections::HashMap;

use crate::io::columns::{PAIRS, VALUES};
use crate::io::judged::roles::Role;
use crate::io::kinds::FileKind;
use crate::io::layout::is_label_name;

/// The columns of one kind of judgement, found by their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) kind: FileKind,
    pub(crate) columns: Vec<(Role, usize)>,
    /// The names are single letters, which could as well be labels over a matrix.
    pub(crate) letters: bool,
}

/// The names of the columns, without case and with one kind of blank.
#[derive(Debug)]
pub(crate) struct Names(Vec<String>);

const HEADS: [&str; 8] = ["head", "anchor", "query", "reference", "ref", "standard", "probe", "target"];
const ENDS: [(&str, &str); 10] = [
    ("near", "far"),
    ("winner", "loser"),
    ("positive", "negative"),
    ("pos", "neg"),
    ("closer", "farther"),
    ("closer", "further"),
    ("nearer", "farther"),
    ("nearer", "further"),
    ("nearest", "farthest"),
    ("more_similar", "less_similar"),
];
const NEARS: [&str; 5] = ["near", "winner", "closer", "nearer", "chosen"];
const ODDS: [&str; 5] = ["odd", "odd_one_out", "odd_one", "oddball", "odd_one_out_name"];
const CENTRALS: [&str; 4] = ["central", "most_central", "centre", "center"];
/// Names that say that something was chosen, and not as what.
const CHOICES: [&str; 6] = ["choice", "chosen", "response", "answer", "selected", "selection"];
const ANSWERS: [&str; 4] = ["resp", "answer", "response", "label"];
const LABELS: [&str; 10] =
    ["label", "similar", "same", "alike", "is_similar", "is_same", "link", "constraint", "relation", "pair_label"];
const GRADES: &[&str] = &["grade", "grade_of_similarity", "similarity_grade"];
const LIKENESSES: &[&str] = &["likeness", "likeness_grade"];
const CLASSES: [&str; 8] = ["class", "category", "group", "cluster", "classes", "chunklet", "chunklets", "chunk"];
/// Those of them that say who belongs together, and of two groups not that they are apart.
pub(super) const CHUNKLETS: &[&str] = CLASSES.split_at(5).1;
const PATHS: [&str; 3] = ["path", "taxonomy", "lineage"];
const SESSIONS: [&str; 9] =
    ["session", "session_id", "list", "list_id", "query_id", "query", "impression", "impression_id", "search_id"];
const OPENED: [&str; 6] = ["opened", "clicked", "click", "clicks", "is_clicked", "was_opened"];
const RESULTS: [&str; 9] = ["result", "document", "document_id", "doc", "doc_id", "url", "item", "item_id", "object"];
/// What numbered columns of objects are called: `stim1`, `stim_1`, `stim1_name` …
const SHOWN: [&str; 14] = [
    "shown",
    "stim",
    "stimulus",
    "image",
    "img",
    "item",
    "object",
    "obj",
    "video",
    "sound",
    "word",
    "option",
    "concept",
    "candidate",
];

/// What is known about an answer beside the answer, and the names for it.
const EXTRAS: [(Role, &[&str]); 9] = [
    (
        Role::Participant,
        &[
            "participant",
            "participant_id",
            "participation",
            "puid",
            "subject",
            "subject_id",
            "subj",
            "worker",
            "worker_id",
            "workerid",
            "user",
            "user_id",
            "rater",
            "respondent",
            "judge",
            "observer",
            "assessor",
        ],
    ),
    (Role::Time, &["response_time", "rt", "reaction_time", "response_time_s", "rt_s", "time_s"]),
    (Role::TimeMs, &["response_time_ms", "rt_ms", "reaction_time_ms", "time_ms"]),
    (Role::Weight, &["weight", "weights"]),
    (Role::Votes, &["votes", "count"]),
    (Role::Margin, &["margin"]),
    (
        Role::Check,
        &["check", "catch", "catch_trial", "catch_trial_flag", "is_check", "is_catch", "attention", "attention_check"],
    ),
    (Role::Left, &["left"]),
    (Role::Right, &["right"]),
];

impl Names {
    pub(crate) fn new(header: &[String]) -> Self {
        Names(header.iter().map(|h| h.trim().to_lowercase().replace([' ', '-', '.'], "_")).collect())
    }

    fn all<'a>(&'a self, wanted: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        wanted.iter().flat_map(|w| self.0.iter().enumerate().filter(move |(_, n)| n == w).map(|(k, _)| k))
    }
    pub(super) fn find(&self, wanted: &[&str]) -> Option<usize> {
        self.all(wanted).next()
    }
    fn each(&self, wanted: &[(Role, &str)]) -> Option<Vec<(Role, usize)>> {
        wanted.iter().map(|(role, name)| Some((*role, self.find(&[name])?))).collect()
    }

    /// Columns named by a stem and a number that counts from 0 or 1; `least` of them.
    fn numbered(&self, stems: &[&str], least: usize) -> Option<Vec<usize>> {
        // A table may have very many columns, of which few are looked for, or most.
        for stem in stems {
            let mut place: HashMap<&str, usize> = HashMap::new();
            for (k, name) in self.0.iter().enumerate().filter(|(_, n)| n.starts_with(*stem)) {
                place.entry(name).or_insert(k);
            }
            if place.is_empty() {
                continue;
            }
            for end in ["", "_name", "_id", "_file", "_filename"] {
                for (gap, start) in [("", 1), ("", 0), ("_", 1), ("_", 0)] {
                    let name = |k: usize| place.get(format!("{stem}{gap}{k}{end}").as_str()).copied();
                    let found: Vec<usize> = (start..).map_while(name).collect();
                    if found.len() >= least {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// One column of this name, or numbered ones.
    fn some(&self, stems: &[&str]) -> Vec<usize> {
        self.numbered(stems, 1).or_else(|| Some(vec![self.find(stems)?])).unwrap_or_default()
    }

    /// The objects shown in a trial without a head.
    fn shown(&self) -> Option<Vec<usize>> {
        self.numbered(&SHOWN, 3)
            .or_else(|| self.three(&["one", "two", "three"]))
            .or_else(|| self.three(&["a", "b", "c"]))
    }
    fn three(&self, names: &[&str; 3]) -> Option<Vec<usize>> {
        names.iter().map(|n| self.find(&[n])).collect()
    }

    /// What is known about the answers beside the answers: the first column of each name; `used` are taken.
    pub(crate) fn extras(&self, used: &[(Role, usize)]) -> Vec<(Role, usize)> {
        let free = |k: &usize| !used.iter().any(|(_, u)| u == k);
        let mut found = Vec::new();
        for (role, names) in EXTRAS {
            let columns = self.all(names).filter(free);
            // Two columns of weights contradict each other; of two names for a person the better known is taken.
            let several = matches!(role, Role::Weight | Role::Margin | Role::Votes);
            found.extend(columns.take(if several { 2 } else { 1 }).map(|k| (role, k)));
        }
        let near_far = [&["votes_near", "votes_a", "votes_1"][..], &["votes_far", "votes_b", "votes_2"]];
        if let [Some(near), Some(far)] = near_far.map(|names| self.find(names)) {
            found.push((Role::Votes, near));
            found.push((Role::Votes, far));
        }
        found
    }

    /// Everything that the names could mean, surest first; with `wanted`, only what is of that kind, and looser names count.
    pub(crate) fn readings(&self, wanted: Option<FileKind>) -> Vec<Found> {
        let mut all = Vec::new();
        let mut add = |kind: FileKind, letters: bool, columns: Option<Vec<(Role, usize)>>| {
            if let Some(columns) = columns.filter(|_| wanted.is_none_or(|w| w == kind)) {
                all.push(Found { kind, columns, letters });
            }
        };
        let asked = |kind: FileKind| wanted == Some(kind);
        for columns in self.triplets() {
            add(FileKind::Triplets, false, Some(columns));
        }
        use Role::{A, Answer, B, C, D, Far, From, Head, Near, To};
        if let Some(resp) = self.find(&ANSWERS[..1]) {
            let with_answer = |columns: Option<Vec<(Role, usize)>>| {
                columns.map(|mut c| {
                    c.push((Answer, resp));
                    c
                })
            };
            let four = self.each(&[(A, "s1"), (B, "s2"), (C, "s3"), (D, "s4")]);
            if four.is_none() {
                let three = self.each(&[(Head, "s2"), (Near, "s1"), (Far, "s3")]);
                add(FileKind::Triplets, false, with_answer(three));
            }
            add(FileKind::Quadruplets, false, with_answer(four));
        }
        let shown = |column: usize, role: Role| {
            let shown = self.shown()?;
            Some(std::iter::once((role, column)).chain(shown.into_iter().map(|k| (Role::Shown, k))).collect())
        };
        for (kind, role, names) in
            [(FileKind::OddOneOut, Role::Odd, &ODDS[..]), (FileKind::MostCentral, Role::Central, &CENTRALS[..])]
        {
            let column = self.find(names).or_else(|| asked(kind).then(|| self.find(&CHOICES)).flatten());
            add(kind, false, column.and_then(|column| shown(column, role).or_else(|| self.others(column, role))));
        }
        if self.find(&["stim1_name"]).is_some()
            && let Some(choice) = self.find(&["choice"])
        {
            add(FileKind::OddOneOut, false, shown(choice, Role::Odd));
        }
        for (kind, role, stems) in [
            (FileKind::Choices, Role::Chosen, &["chosen", "selected"][..]),
            (FileKind::Ranks, Role::Rank, &["rank"][..]),
        ] {
            add(kind, false, self.picked(role, stems, asked(kind)));
        }
        if let Some((from, to)) = PAIRS.iter().find_map(|(a, b)| Some((self.find(&[a])?, self.find(&[b])?))) {
            let label = self.find(&LABELS).or_else(|| asked(FileKind::Pairs).then(|| self.find(&VALUES)).flatten());
            // `label,a,b` are labels of rows beside a matrix; a label of a pair stands behind the pair.
            let label = label.filter(|k| asked(FileKind::Pairs) || self.0[*k] != "label" || *k > from.max(to));
            let label = label.map(|k| (Role::Label, k));
            let graded = [(Role::Grade, GRADES), (Role::Likeness, LIKENESSES)];
            let graded = graded.iter().find_map(|(role, names)| Some((*role, self.find(names)?)));
            add(FileKind::Pairs, false, label.or(graded).map(|said| vec![(From, from), (To, to), said]));
        }
        let clicks = [(Role::Session, &SESSIONS[..]), (Role::Object, &RESULTS), (Role::Opened, &OPENED)];
        let clicks = clicks.iter().map(|(role, names)| Some((*role, self.find(names)?))).collect();
        add(FileKind::Clicks, false, clicks);
        add(FileKind::Taxonomy, false, self.each(&[(Role::Parent, "parent"), (Role::Child, "child")]));
        let object = self
            .0
            .iter()
            .position(|n| !n.is_empty() && is_label_name(n))
            .filter(|k| !PATHS.contains(&self.0[*k].as_str()));
        let object = object.map(|k| (Role::Object, k));
        if let Some(path) = self.find(&PATHS).filter(|_| self.0.len() <= 2 || asked(FileKind::Paths)) {
            add(FileKind::Paths, false, Some(object.into_iter().chain([(Role::Path, path)]).collect()));
        }
        if let Some(class) = self.find(&CLASSES).filter(|_| self.0.len() == 2 || asked(FileKind::Classes)) {
            let object = object.or((class != 0 && asked(FileKind::Classes)).then_some((Role::Object, 0)));
            add(FileKind::Classes, false, object.map(|o| vec![o, (Role::Class, class)]));
        }
        // One row a person and object: who it was is found among the extras.
        let people = self.0.len() == 3 || asked(FileKind::Sorts);
        if let (Some(class), Some(_), true) = (self.find(&CLASSES), self.find(EXTRAS[0].1), people) {
            add(FileKind::Sorts, false, object.map(|o| vec![o, (Role::Class, class)]));
        }
        let letters = self.each(&[(A, "i"), (B, "j"), (C, "k"), (D, "l")]);
        add(FileKind::Quadruplets, true, letters.clone());
        if letters.is_none() {
            let mut three = self.each(&[(Head, "i"), (Near, "j"), (Far, "k")]);
            if let (Some(columns), Some(answer)) = (&mut three, self.find(&ANSWERS)) {
                columns.push((Answer, answer));
            }
            add(FileKind::Triplets, true, three);
        }
        add(FileKind::Quadruplets, true, self.each(&[(A, "a"), (B, "b"), (C, "c"), (D, "d")]));
        all
    }

    /// Head, near and far by every pair of names for the ends that is there.
    fn triplets(&self) -> Vec<Vec<(Role, usize)>> {
        let Some(head) = self.find(&HEADS) else { return Vec::new() };
        let mut all: Vec<Vec<(Role, usize)>> = ENDS
            .iter()
            .filter_map(|(near, far)| {
                Some(vec![(Role::Head, head), (Role::Near, self.find(&[near])?), (Role::Far, self.find(&[far])?)])
            })
            .collect();
        // What was shown left and right, and which of them was chosen: the other one is the far one.
        if let (true, Some(near), Some(_), Some(_)) =
            (all.is_empty(), self.find(&NEARS), self.find(&["left"]), self.find(&["right"]))
        {
            all.push(vec![(Role::Head, head), (Role::Near, near)]);
        }
        all
    }

    /// A marked column, and exactly two others: `odd,a,b` in any order of columns.
    fn others(&self, column: usize, role: Role) -> Option<Vec<(Role, usize)>> {
        let others = self.numbered(&SHOWN, 2).or_else(|| self.numbered(&["other"], 2))?;
        Some(std::iter::once((role, column)).chain(others.into_iter().map(|k| (Role::Shown, k))).collect())
    }

    /// A head, the chosen or ranked, and the rest or all that were shown.
    fn picked(&self, role: Role, stems: &[&str], asked: bool) -> Option<Vec<(Role, usize)>> {
        let head = self.find(&HEADS)?;
        let picked = self.some(stems);
        let rest = self.numbered(&["rest"], 1).or_else(|| Some(vec![self.find(&["rest"])?]));
        let shown = self.numbered(&SHOWN, 2).or_else(|| self.numbered(&HEADS[2..5], 2));
        let enough = match role {
            Role::Rank => picked.len() >= 2 || asked,
            _ => rest.is_some() || shown.is_some(),
        };
        if picked.is_empty() || !enough {
            return None;
        }
        let mut columns = vec![(Role::Head, head)];
        columns.extend(picked.into_iter().map(|k| (role, k)));
        match (rest, shown) {
            (Some(rest), _) => columns.extend(rest.into_iter().map(|k| (Role::Rest, k))),
            (None, Some(shown)) => columns.extend(shown.into_iter().map(|k| (Role::Shown, k))),
            (None, None) => {}
        }
        Some(columns)
    }

    /// Objects that were shown, and a choice of which nothing says whether it is the odd one or what else.
    pub(crate) fn unclear_choice(&self) -> Option<(Vec<usize>, usize)> {
        Some((self.shown()?, self.find(&CHOICES)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(header: &str) -> Option<(FileKind, String)> {
        let names: Vec<String> = header.split(',').map(str::to_string).collect();
        let found = Names::new(&names).readings(None).into_iter().next()?;
        Some((found.kind, found.columns.iter().map(|(r, k)| format!("{r}={}", k + 1)).collect::<Vec<_>>().join(",")))
    }

    #[test]
    fn documented_headers_are_known_in_any_order() {
        for (header, kind, columns) in [
            ("head,left,right,winner,sampler,score,puid,loser", FileKind::Triplets, "head=1,near=4,far=8"),
            ("negative,Anchor,positive", FileKind::Triplets, "head=2,near=3,far=1"),
            ("query,closer,farther,w", FileKind::Triplets, "head=1,near=2,far=3"),
            ("head,left,right,winner", FileKind::Triplets, "head=1,near=4"),
            (",resp,S1,S2,S3", FileKind::Triplets, "head=4,near=3,far=5,answer=2"),
            (",resp,S1,S2,S3,S4", FileKind::Quadruplets, "a=3,b=4,c=5,d=6,answer=2"),
            ("i,j,k,l", FileKind::Quadruplets, "a=1,b=2,c=3,d=4"),
            ("i,j,k,response", FileKind::Triplets, "head=1,near=2,far=3,answer=4"),
            ("p,stim1_name,stim2_name,stim3_name,choice", FileKind::OddOneOut, "odd=5,shown=2,shown=3,shown=4"),
            ("one,two,three,odd", FileKind::OddOneOut, "odd=4,shown=1,shown=2,shown=3"),
            ("odd,other1,other2", FileKind::OddOneOut, "odd=1,shown=2,shown=3"),
            ("image_1,image_2,image_3,most central", FileKind::MostCentral, "central=4,shown=1,shown=2,shown=3"),
            ("head,chosen,rest1,rest2", FileKind::Choices, "head=1,chosen=2,rest=3,rest=4"),
            (
                "query,item1,item2,item3,selected1,selected2",
                FileKind::Choices,
                "head=1,chosen=5,chosen=6,shown=2,shown=3,shown=4",
            ),
            ("head,rank1,rank2,rank3", FileKind::Ranks, "head=1,rank=2,rank=3,rank=4"),
            ("from,to,label", FileKind::Pairs, "from=1,to=2,label=3"),
            ("item1,item2,same,subject", FileKind::Pairs, "from=1,to=2,label=3"),
            ("from,to,grade,subject", FileKind::Pairs, "from=1,to=2,grade=3"),
            ("item1,item2,likeness", FileKind::Pairs, "from=1,to=2,likeness=3"),
            ("parent,child", FileKind::Taxonomy, "parent=1,child=2"),
            ("object,path", FileKind::Paths, "object=1,path=2"),
            ("path", FileKind::Paths, "path=1"),
            ("id,class", FileKind::Classes, "object=1,class=2"),
            ("object,group,participant", FileKind::Sorts, "object=1,class=2"),
        ] {
            assert_eq!(first(header), Some((kind, columns.to_string())), "{header}");
        }
        for none in ["from,to,value", "label,x,y", "a,b", "stim1,stim2,stim3,choice", "near,far", "head,near"] {
            assert_eq!(first(none), None, "{none}");
        }
    }

    #[test]
    fn extras_are_found_and_two_weights_are_both_given() {
        let names: Vec<String> =
            "head,near,far,subject,puid,rt_ms,weight,weights,catch_trial".split(',').map(str::to_string).collect();
        let names = Names::new(&names);
        let extras = names.extras(&names.readings(None)[0].columns);
        let of = |role| extras.iter().filter(|(r, _)| *r == role).map(|(_, k)| *k).collect::<Vec<_>>();
        assert_eq!((of(Role::Participant), of(Role::TimeMs), of(Role::Check)), (vec![4], vec![5], vec![8]));
        assert_eq!(of(Role::Weight), [6, 7]);
    }
}
