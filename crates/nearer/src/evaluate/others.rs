//! Everybody against the others: who answers as the rest does, question by question.

use crate::evidence::questions::Questions;
use nearer_num::order;

/// What the others said to the questions that somebody answered.
#[derive(Debug)]
pub(super) struct Others {
    /// For each answer of a known participant, whether it is that of the majority of the others; `None` where nobody
    /// else answered or the others have no single most frequent answer.
    pub(super) agrees: Vec<Option<bool>>,
    /// For each participant, pairs of an own answer and one of somebody else, and how many of these are equal.
    pub(super) pairs: Vec<[u64; 2]>,
    /// For each participant, questions answered more than once.
    pub(super) repeated: Vec<usize>,
    /// For each participant, questions answered in more than one way.
    pub(super) contradicted: Vec<usize>,
    /// Questions answered by more than one.
    pub(super) shared: usize,
}

/// Holds every participant's answers against those of the others. Whoever is not known counts as somebody else each time.
///
/// `O(N log N)`: one pass through the answers by question; nobody is compared with anybody in particular.
pub(super) fn others(questions: &Questions, who: &[Option<u32>], participants: usize) -> Others {
    let mut found = Others {
        agrees: vec![None; who.len()],
        pairs: vec![[0, 0]; participants],
        repeated: vec![0; participants],
        contradicted: vec![0; participants],
        shared: 0,
    };
    let key = |k: usize| (questions.question[k], who[k], questions.answer[k], k as u32);
    let mut sorted: Vec<_> = (0..who.len()).map(key).collect();
    sorted.sort_unstable();
    let order: Vec<usize> = sorted.into_iter().map(|(_, _, _, k)| k as usize).collect();
    for asked in order.chunk_by(|&a, &b| questions.question[a] == questions.question[b]) {
        let numbers = questions.answers_to(questions.question[asked[0]] as usize);
        let mut counts = vec![0u64; numbers.len()];
        let place = |k: usize| questions.answer[k] as usize - numbers.start;
        asked.iter().for_each(|&k| counts[place(k)] += 1);
        let mut frequent: Vec<usize> = (0..counts.len()).collect();
        order::by_key(&mut frequent, &|&a| std::cmp::Reverse(counts[a]));
        let same_person = |a: usize, b: usize| who[a].is_some() && who[a] == who[b];
        found.shared += usize::from(asked.chunk_by(|&a, &b| same_person(a, b)).nth(1).is_some());
        for own in asked.chunk_by(|&a, &b| same_person(a, b)) {
            let Some(person) = who[own[0]].map(|w| w as usize) else { continue };
            let mine: Vec<(usize, u64)> = own
                .chunk_by(|&a, &b| place(a) == place(b))
                .map(|equal| (place(equal[0]), equal.len() as u64))
                .collect();
            let rest = (asked.len() - own.len()) as u64;
            found.repeated[person] += usize::from(own.len() > 1);
            found.contradicted[person] += usize::from(mine.len() > 1);
            found.pairs[person][0] += own.len() as u64 * rest;
            found.pairs[person][1] += mine.iter().map(|(a, count)| count * (counts[*a] - count)).sum::<u64>();
            if let Some(most) = majority_without(&counts, &frequent, &mine) {
                own.iter().for_each(|&k| found.agrees[k] = Some(place(k) == most));
            }
        }
    }
    found
}

/// The answer that is alone the most frequent once these are taken out. Only the first few of the frequent ones matter.
fn majority_without(counts: &[u64], frequent: &[usize], mine: &[(usize, u64)]) -> Option<usize> {
    let not_mine = frequent.iter().filter(|a| mine.iter().all(|(own, _)| own != *a)).take(2);
    let candidates = not_mine.map(|&a| (counts[a], a)).chain(mine.iter().map(|&(a, own)| (counts[a] - own, a)));
    let (mut best, mut alone) = ((0, None), false);
    for (count, a) in candidates {
        if count > best.0 {
            (best, alone) = ((count, Some(a)), true);
        } else if count == best.0 {
            alone = false;
        }
    }
    best.1.filter(|_| alone)
}
