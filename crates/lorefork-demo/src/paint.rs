//! The portraits on the cards: a lighthouse by night for Tamsin, a sail at dawn for 凪.

use super::png::Picture;

const WIDTH: i32 = 400;
const HEIGHT: i32 = 600;
const HORIZON: i32 = 430;
/// Bands of the sky.
const BANDS: usize = 40;

type Colour = [u8; 3];

pub(super) fn lighthouse() -> Picture {
    let sky = gradient([10, 16, 44], [58, 98, 128]);
    let beam: Vec<Colour> = sky.iter().map(|colour| mix(*colour, [255, 240, 170], 0.55)).collect();
    let mut palette: Vec<Colour> = [sky, beam].concat();
    let mut colour = |rgb| {
        palette.push(rgb);
        (palette.len() - 1) as u8
    };
    let (sea, crest, rock) = (colour([12, 30, 52]), colour([40, 70, 96]), colour([24, 22, 28]));
    let (white, red, dark) = (colour([236, 232, 222]), colour([176, 48, 42]), colour([34, 36, 48]));
    let (flame, star) = (colour([255, 236, 140]), colour([222, 230, 250]));

    let lamp = (250, 150);
    draw(palette, |x, y| {
        let (dx, dy) = (x - lamp.0, y - lamp.1);
        // The tower widens towards its foot; its stripes are 46 high.
        let half = 26 + (y - 178).max(0) / 14;
        match () {
            () if dx * dx + dy * dy < 13 * 13 => flame,
            () if dx.abs() <= 22
                && (132..170).contains(&y)
                && (dx.abs() > 19 || !(136..166).contains(&y)) =>
            {
                dark
            }
            () if (112..132).contains(&y) && dx.abs() <= (y - 112) * 3 / 2 => red,
            () if (170..178).contains(&y) && dx.abs() <= 36 => dark,
            () if (178..454).contains(&y) && dx.abs() <= half => {
                if (y - 178) / 46 % 2 == 0 {
                    white
                } else {
                    red
                }
            }
            () if y > 440 && (x - 250).abs() < 70 + (y - 440) * 5 / 4 => rock,
            () if y >= HORIZON => waves(x, y, sea, crest),
            () if dx < -20 && dy.abs() * 4 < -dx => (BANDS + band(y)) as u8,
            () if is_star(x, y) => star,
            () => band(y) as u8,
        }
    })
}

pub(super) fn sail() -> Picture {
    let mut palette = gradient([74, 62, 122], [252, 190, 130]);
    let mut colour = |rgb| {
        palette.push(rgb);
        (palette.len() - 1) as u8
    };
    let (sea, crest, sun) =
        (colour([62, 74, 118]), colour([226, 160, 138]), colour([255, 232, 190]));
    let (cloth, shade, hull) =
        (colour([250, 244, 232]), colour([222, 206, 196]), colour([58, 36, 44]));

    draw(palette, |x, y| {
        let (dx, dy) = (x - 130, y - 372);
        let mast = x - 236;
        match () {
            () if (226..420).contains(&y) && mast.abs() <= 2 => hull,
            () if (238..408).contains(&y) && (0..(y - 238) * 5 / 8).contains(&mast) => cloth,
            () if (268..408).contains(&y) && (0..(y - 268) / 2).contains(&-mast) => shade,
            () if (418..452).contains(&y) && (mast - 6).abs() < 112 - (y - 418) => hull,
            () if y < HORIZON && dx * dx + dy * dy < 74 * 74 => sun,
            () if y >= HORIZON => waves(x, y, sea, crest),
            () => band(y) as u8,
        }
    })
}

fn draw(palette: Vec<Colour>, colour_at: impl Fn(i32, i32) -> u8) -> Picture {
    let pixels = (0..HEIGHT)
        .flat_map(|y| (0..WIDTH).map(move |x| (x, y)))
        .map(|(x, y)| colour_at(x, y))
        .collect();
    Picture { width: WIDTH as u32, palette, pixels }
}

fn gradient(top: Colour, bottom: Colour) -> Vec<Colour> {
    (0..BANDS).map(|band| mix(top, bottom, band as f64 / (BANDS - 1) as f64)).collect()
}

fn mix(a: Colour, b: Colour, share: f64) -> Colour {
    std::array::from_fn(|i| (f64::from(a[i]) * (1.0 - share) + f64::from(b[i]) * share) as u8)
}

/// The band of the sky at a height.
fn band(y: i32) -> usize {
    (y.clamp(0, HORIZON - 1) as usize) * BANDS / HORIZON as usize
}

/// Short crests, nearer ones wider apart.
fn waves(x: i32, y: i32, sea: u8, crest: u8) -> u8 {
    let row = (y - HORIZON) / 14;
    let in_crest = (y - HORIZON) % 14 < 2 && (x + row * 53) % (70 + row * 9) < 22 + row * 2;
    if in_crest { crest } else { sea }
}

/// A few stars, scattered by arithmetic.
fn is_star(x: i32, y: i32) -> bool {
    let (column, row) = (x / 37, y / 41);
    let (dx, dy) = (x % 37 - (column * 17 + row * 29) % 33, y % 41 - (column * 23 + row * 11) % 37);
    y < 330 && (0..2).contains(&dx) && (0..2).contains(&dy) && (column + row * 3) % 4 != 0
}
