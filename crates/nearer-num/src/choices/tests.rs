use super::*;
use crate::rng::Rng;

const LINKS: [Link; 4] = [Link::Distance, Link::Squared, Link::Student(2.0), Link::Logarithm(0.05)];

/// Random trials: between two, between three, chains, and options of several pairs.
fn example(plain: bool) -> Choices {
    let mut rng = Rng::task(3, u64::from(plain));
    let mut choices = Choices::default();
    for t in 0..60 {
        let pair = |rng: &mut Rng| {
            let order = rng.permutation(9);
            [order[0] as u32, order[1] as u32]
        };
        let (runs, width): (&[usize], usize) =
            if plain { (&[2], 1) } else { [(&[2][..], 1), (&[3], 1), (&[4, 3, 2], 1), (&[3], 2)][t % 4] };
        let lists: Vec<Vec<[u32; 2]>> =
            runs.iter().map(|k| (0..*k * width).map(|_| pair(&mut rng)).collect()).collect();
        let answers = runs.iter().product::<usize>() as f64;
        choices.push(0.5 + rng.uniform(), answers, lists.iter().map(|l| (l.as_slice(), width)));
    }
    choices
}

fn check(dim: usize, mut f: impl FnMut(&[f64], &mut [f64]) -> f64, what: &str) {
    let mut rng = Rng::task(5, dim as u64);
    let mut x: Vec<f64> = (0..9 * dim).map(|_| rng.normal()).collect();
    let mut gradient = vec![f64::NAN; x.len()];
    f(&x, &mut gradient);
    let mut scratch = vec![0.0; x.len()];
    for k in 0..x.len() {
        let (old, h) = (x[k], 1e-5);
        x[k] = old + h;
        let above = f(&x, &mut scratch);
        x[k] = old - h;
        let slope = (above - f(&x, &mut scratch)) / (2.0 * h);
        x[k] = old;
        assert!((slope - gradient[k]).abs() < 1e-5 * (1.0 + slope.abs()), "{what} {k}: {slope} {}", gradient[k]);
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for plain in [true, false] {
        let choices = example(plain);
        let group: Vec<u32> = (0..choices.len() as u32).map(|t| t % 3).collect();
        let rate = [0.0, 0.1, 0.9];
        let margins: Vec<f64> = (0..choices.len()).map(|t| 0.5 + 0.1 * (t % 5) as f64).collect();
        for dim in [1, 2, 3, 4] {
            for link in LINKS {
                for lapse in [Lapse::None, Lapse::One(0.2), Lapse::Grouped { group: &group, rate: &rate }] {
                    let f = |x: &[f64], g: &mut [f64]| choices.loss(Rows { values: x, dim }, link, lapse, g);
                    check(dim, f, &format!("{link:?} {lapse:?} {plain}"));
                }
            }
            check(dim, |x, g| choices.hinge(Rows { values: x, dim }, &margins, g), "hinge");
            check(dim, |x, g| choices.hinge(Rows { values: x, dim }, &[], g), "hinge");
        }
    }
}

/// The probabilities of the answers to a question sum to one, and two ways to sum them agree.
#[test]
fn probabilities_are_those_of_the_definition() {
    let mut rng = Rng::task(1, 1);
    let points: Vec<f64> = (0..8).map(|_| rng.normal()).collect();
    let points = Rows { values: &points, dim: 2 };
    let square = |[a, b]: [u32; 2]| {
        let at = |k: u32, c: usize| points.values[2 * k as usize + c];
        (0..2).map(|c| (at(a, c) - at(b, c)).powi(2)).sum::<f64>()
    };
    let sides: [[u32; 2]; 3] = [[0, 1], [1, 2], [0, 2]];
    for link in LINKS {
        let mut odd = Choices::default();
        for k in 0..3 {
            let turned = [sides[k], sides[(k + 1) % 3], sides[(k + 2) % 3]];
            odd.push(1.0, 3.0, [(&turned[..], 1)]);
        }
        let p = odd.log_probability(points, link);
        assert!((p.iter().map(|p| p.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
        let weight = |k: usize| (-link.at(square(sides[k])).0).exp();
        let direct = weight(0) / (weight(0) + weight(1) + weight(2));
        assert!((p[0].exp() - direct).abs() < 1e-12);
        let loss = odd.loss(points, link, Lapse::One(0.3), &mut [0.0; 8]);
        let expected: f64 = p.iter().map(|p| -(0.1 + 0.7 * p.exp()).ln()).sum();
        assert!((loss - expected).abs() < 1e-12);
        let least = (0..3).min_by(|&a, &b| square(sides[a]).total_cmp(&square(sides[b]))).unwrap();
        assert_eq!([0, 1, 2].map(|k| odd.nearest(points, link, k)), [0, 1, 2].map(|k| k == least));
    }
}

/// A trial between two keeps its meaning when one of another shape comes after it.
#[test]
fn plain_trials_are_the_same_beside_others() {
    let (mut plain, mut mixed) = (Choices::default(), Choices::default());
    for c in [&mut plain, &mut mixed] {
        c.push_pair(1.0, [0, 1], [0, 2]);
        c.push_pair(2.0, [1, 2], [0, 3]);
    }
    mixed.push(1.0, 3.0, [(&[[0, 1], [0, 2], [1, 2]][..], 1)]);
    let points = [0.1, 0.7, -0.4, 1.5];
    let rows = Rows { values: &points, dim: 1 };
    let [a, b] = [&plain, &mixed.subset(&[0, 1])].map(|c| c.loss(rows, Link::Distance, Lapse::One(0.1), &mut [0.0; 4]));
    let both = mixed.log_probability(rows, Link::Distance);
    let alone = plain.log_probability(rows, Link::Distance);
    assert!(alone.iter().zip(&both).all(|(a, b)| (a - b).abs() < 1e-14), "{alone:?} {both:?}");
    assert_eq!((a, mixed.len(), mixed.guess(0), mixed.weight(1), mixed.total()), (b, 3, 0.5, 2.0, 4.0));
}

#[test]
fn threads_change_no_bit_and_far_points_no_sum() {
    let mut rng = Rng::task(2, 2);
    let mut choices = Choices::default();
    for _ in 0..20_000 {
        let order = rng.permutation(50);
        let [a, b, c] = [order[0] as u32, order[1] as u32, order[2] as u32];
        choices.push_pair(1.0, [a, b], [a, c]);
    }
    let points: Vec<f64> = (0..100).map(|_| 1e3 * rng.normal()).collect();
    let on = |threads| {
        let mut gradient = vec![0.0; 100];
        let rows = Rows { values: &points, dim: 2 };
        let value = par::install(threads, || choices.loss(rows, Link::Squared, Lapse::None, &mut gradient));
        (value.to_bits(), gradient.iter().map(|g| g.to_bits()).collect::<Vec<_>>())
    };
    assert_eq!(on(1), on(2));
    assert!(f64::from_bits(on(1).0).is_finite());
}

/// The second derivatives are the differences of the gradient, for every link, shape of trial and lapse.
#[test]
fn curvature_is_that_of_differences() {
    for plain in [true, false] {
        let choices = example(plain);
        let group: Vec<u32> = (0..choices.len() as u32).map(|t| t % 3).collect();
        let rate = [0.0, 0.1, 0.9];
        for dim in [1, 2, 3] {
            let mut rng = Rng::task(7, dim as u64);
            let size = 9 * dim;
            let mut x: Vec<f64> = (0..size).map(|_| rng.normal()).collect();
            for link in LINKS {
                for lapse in [Lapse::None, Lapse::One(0.2), Lapse::Grouped { group: &group, rate: &rate }] {
                    let mut all = vec![0.0; size * size];
                    choices.curvature(Rows { values: &x, dim }, link, lapse, |points, part| {
                        let wide = points.len() * dim;
                        for (k, v) in part.iter().enumerate() {
                            let at = |i: usize| points[i / dim] as usize * dim + i % dim;
                            all[at(k / wide) * size + at(k % wide)] += v;
                        }
                    });
                    let (mut above, mut below) = (vec![0.0; size], vec![0.0; size]);
                    for j in 0..size {
                        let (old, h) = (x[j], 1e-5);
                        x[j] = old + h;
                        choices.loss(Rows { values: &x, dim }, link, lapse, &mut above);
                        x[j] = old - h;
                        choices.loss(Rows { values: &x, dim }, link, lapse, &mut below);
                        x[j] = old;
                        for i in 0..size {
                            let slope = (above[i] - below[i]) / (2.0 * h);
                            let found = all[i * size + j];
                            assert!(
                                (slope - found).abs() < 1e-4 * (1.0 + slope.abs()),
                                "{link:?} {lapse:?} {plain} {i} {j}: {slope} {found}"
                            );
                        }
                    }
                }
            }
        }
    }
}
