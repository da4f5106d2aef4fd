//! What the four scenes of `text/last-lamp.txt` taught Auto-Recap.
//!
//! An entity that is named again is rewritten under its uid; a new one takes the lowest free uid,
//! from 9 on.

use super::lore::Entity;
use super::recap::Scene;

/// The messages that end the scenes.
pub const SCENE_ENDS: [usize; 4] = [13, 28, 41, 53];

/// `character-Lantern Man` in scene 2, nothing in scene 3, `character-Pinch` from scene 4 on.
#[cfg(test)]
pub(crate) const REUSED_UID: u64 = 21;

pub(super) const SCENES: [Scene; 4] = [
    Scene {
        name: "The man on the rocks",
        extracted: &[
            "{{user}} brings Pell's letter to the Candlestick",
            "Ashkeel circles where the light ends",
            "a castaway called Jory is pulled from the rocks",
        ],
        outcomes: &[
            "{{user}} brought Tamsin a letter from Harbourmaster Pell; it is still sealed.",
            "They saved a castaway who calls himself Jory, a ship's cook.",
        ],
        open: &["What does Pell want?", "Who is Jory really?"],
        state: &["Night, storm. Four barrels of glim oil. Ashkeel circles outside the light."],
        resolved: &[],
        learned: &[
            Entity {
                kind: "character",
                name: "Tamsin Wick",
                keywords: &["tamsin wick", "tamsin", "wick"],
                facts: &[
                    "Keeper of the Candlestick",
                    "Lit the Heron out past the reef eleven years ago and saw her sink",
                ],
            },
            Entity {
                kind: "character",
                name: "Jory",
                keywords: &["jory", "castaway"],
                facts: &[
                    "Ship's cook, pulled off the rocks in the storm",
                    "His hands have never done a cook's work",
                ],
            },
            Entity {
                kind: "character",
                name: "Ashkeel",
                keywords: &["ashkeel", "dragon"],
                facts: &[
                    "Sea dragon, alive; circles just where the light of the Candlestick ends",
                    "Long as Fish Street; sank the Heron and nine more ships",
                ],
            },
            Entity {
                kind: "character",
                name: "Osgood Pell",
                keywords: &["osgood pell", "pell", "harbourmaster"],
                facts: &["Harbourmaster of Merrowby; sends the oil for the lamp"],
            },
            Entity {
                kind: "location",
                name: "The Candlestick",
                keywords: &["candlestick", "lighthouse"],
                facts: &["Lighthouse on the Point outside Merrowby", "Burns with a blue flame"],
            },
            Entity {
                kind: "location",
                name: "Merrowby",
                keywords: &["merrowby", "harbour"],
                facts: &["Harbour town that sleeps while the Candlestick burns"],
            },
            Entity {
                kind: "item",
                name: "Bone whistle",
                keywords: &["bone whistle", "whistle"],
                facts: &[
                    "Worn by {{user}} on a cord; belonged to {{user}}'s mother, bosun of the Heron",
                    "Nobody has ever got a note out of it",
                ],
            },
            Entity {
                kind: "item",
                name: "Glim oil",
                keywords: &["glim oil", "oil", "barrel"],
                facts: &["The only thing that burns blue; four barrels left"],
            },
            Entity {
                kind: "document",
                name: "Pell's letter",
                keywords: &["pell's letter", "letter"],
                facts: &["Red seal, unopened, on Tamsin's shelf"],
            },
            Entity {
                kind: "lore",
                name: "Law of the lamp",
                keywords: &["law of the lamp", "lit water"],
                facts: &["No dragon crosses lit water"],
            },
            Entity {
                kind: "event",
                name: "Loss of the Heron",
                keywords: &["heron"],
                facts: &[
                    "Eleven years ago Ashkeel rose under the Heron; {{user}}'s mother was aboard",
                ],
            },
            Entity {
                kind: "rule",
                name: "Small magic",
                keywords: &["small magic", "ooc"],
                facts: &["OOC: magic is small and old; no fireballs"],
            },
        ],
        dropped: &[],
        running: "DEVELOPMENTS:\n\
            {{user}} brought a sealed letter from Pell to the Candlestick\n\
            Jory, a castaway, saved from the rocks\n\
            \n\
            OPEN:\n\
            What does Pell want?\n\
            Who is Jory really?\n\
            \n\
            STATE:\n\
            Four barrels of glim oil; Ashkeel circles outside the light",
    },
    Scene {
        name: "What the letter said",
        extracted: &[
            "Pell orders the light dark for three nights",
            "Jory is Prince Jorian of Vael",
            "the Lantern Man calls the dragon",
            "three barrels hold sea water",
        ],
        outcomes: &[
            "Pell's letter orders the light dark for three nights.",
            "Jory is Jorian Vael, the missing prince.",
            "A man with a lantern calls Ashkeel from the quay.",
        ],
        open: &["Who is the Lantern Man?", "Two nights of oil are left."],
        state: &[
            "One barrel of glim oil. Jory minds the lamp; Tamsin and {{user}} watch the quay.",
        ],
        resolved: &["What does Pell want?", "Who is Jory really?"],
        learned: &[
            Entity {
                kind: "character",
                name: "Lantern Man",
                keywords: &["lantern man", "lantern"],
                facts: &[
                    "Signals to Ashkeel from the quay at the turn of the tide",
                    "Nobody has seen his face",
                ],
            },
            Entity {
                kind: "faction",
                name: "Tallow Company",
                keywords: &["tallow company", "company"],
                facts: &["Buys what washes ashore when a lighthouse fails"],
            },
            Entity {
                kind: "location",
                name: "Merrowby quay",
                keywords: &["quay"],
                facts: &["Where the Lantern Man stands at night"],
            },
            Entity {
                kind: "item",
                name: "Seal of Vael",
                keywords: &["seal of vael", "ring"],
                facts: &["Gold ring with a crowned gull; kept by Jory"],
            },
            Entity {
                kind: "item",
                name: "Old harpoon",
                keywords: &["harpoon"],
                facts: &["Hangs on Tamsin's wall; she knows how to use it"],
            },
            Entity {
                kind: "lore",
                name: "Lantern signal",
                keywords: &["signal", "three long"],
                facts: &["Three long, one short: Ashkeel comes to it"],
            },
            Entity {
                kind: "character",
                name: "Jory",
                keywords: &["jory", "castaway", "jorian", "prince"],
                facts: &[
                    "Prince Jorian Vael in hiding; asks to be called Jory",
                    "Found the Tallow Company's ledger in his uncle's desk; they holed his ship",
                ],
            },
            Entity {
                kind: "character",
                name: "Ashkeel",
                keywords: &["ashkeel", "dragon"],
                facts: &[
                    "Sea dragon, alive; comes when the Lantern Man signals",
                    "Long as Fish Street; sank the Heron and nine more ships",
                ],
            },
            Entity {
                kind: "item",
                name: "Glim oil",
                keywords: &["glim oil", "oil", "barrel"],
                facts: &[
                    "One barrel left; three of the four held sea water",
                    "Enough for two nights",
                ],
            },
            Entity {
                kind: "document",
                name: "Pell's letter",
                keywords: &["pell's letter", "letter"],
                facts: &[
                    "\"The light at the Point is to be dark for three nights from the new moon.\"",
                ],
            },
        ],
        dropped: &[],
        running: "DEVELOPMENTS:\n\
            Pell orders the light dark for three nights\n\
            Jory is Prince Jorian Vael\n\
            The Lantern Man calls Ashkeel from the quay\n\
            \n\
            OPEN:\n\
            Who is the Lantern Man?\n\
            \n\
            STATE:\n\
            One barrel of glim oil, two nights; Jory minds the lamp",
    },
    Scene {
        name: "The night the lamp went out",
        extracted: &[
            "the Lantern Man is Osgood Pell",
            "the lamp goes out and Ashkeel enters the harbour",
            "the whistle is dragon bone",
            "Ashkeel dies on the reef",
        ],
        outcomes: &[
            "Osgood Pell is the Lantern Man; he sold ten ships to the Tallow Company and fled.",
            "{{user}} led Ashkeel to the Point with the bone whistle; the dragon died on the reef.",
        ],
        open: &["Where did Pell run to?", "How will the light burn without oil?"],
        state: &["Dawn. Tamsin, Jory and {{user}} sit on the step of the Candlestick."],
        resolved: &["Who is the Lantern Man?", "Two nights of oil are left."],
        learned: &[
            Entity {
                kind: "event",
                name: "Death of Ashkeel",
                keywords: &["death of ashkeel", "dead dragon"],
                facts: &[
                    "Ashkeel reared back from the relit lamp and broke on the reef",
                    "{{user}} had called him there with the bone whistle",
                ],
            },
            Entity {
                kind: "location",
                name: "The reef",
                keywords: &["reef", "the point"],
                facts: &["Rocks below the Candlestick; Ashkeel lies there"],
            },
            Entity {
                kind: "character",
                name: "Ashkeel",
                keywords: &["ashkeel", "dragon"],
                facts: &[
                    "Dead; broke on the reef when the lamp was relit",
                    "Tamsin closed his eye",
                ],
            },
            Entity {
                kind: "character",
                name: "Osgood Pell",
                keywords: &["osgood pell", "pell", "harbourmaster", "lantern man"],
                facts: &[
                    "Was the Lantern Man; sold ten ships to the Tallow Company",
                    "Salted the oil; ran when the lamp went out",
                ],
            },
            Entity {
                kind: "item",
                name: "Bone whistle",
                keywords: &["bone whistle", "whistle"],
                facts: &[
                    "Dragon bone; sang for {{user}}, and Ashkeel followed it",
                    "Worn by {{user}} on a cord",
                ],
            },
            Entity {
                kind: "item",
                name: "Glim oil",
                keywords: &["glim oil", "oil", "barrel"],
                facts: &["None left; Pell salted the last barrel too"],
            },
            Entity {
                kind: "character",
                name: "Tamsin Wick",
                keywords: &["tamsin wick", "tamsin", "wick"],
                facts: &[
                    "Keeper of the Candlestick",
                    "Hated Ashkeel for eleven years; did not enjoy his end",
                ],
            },
        ],
        dropped: &["character-Lantern Man"],
        running: "DEVELOPMENTS:\n\
            Osgood Pell was the Lantern Man and fled\n\
            The bone whistle is dragon bone\n\
            Ashkeel died on the reef\n\
            \n\
            OPEN:\n\
            Where is Pell?\n\
            How will the light burn without oil?\n\
            \n\
            STATE:\n\
            Dawn on the step of the Candlestick; no oil left",
    },
    Scene {
        name: "What the dragon guarded",
        extracted: &[
            "a warm cave under the reef",
            "the nest and the egg",
            "Pinch hatches",
            "the whistle is lost in the shaft",
        ],
        outcomes: &[
            "Under the reef lay Ashkeel's nest; the egg hatched and Tamsin named it Pinch.",
            "{{user}} had to leave the bone whistle in the flooded shaft.",
        ],
        open: &["The Tallow Company means to collect the hatchling.", "Where did Pell run to?"],
        state: &["Pinch lives in the Candlestick and sings the note of the whistle."],
        resolved: &[],
        learned: &[
            Entity {
                kind: "character",
                name: "Pinch",
                keywords: &["pinch", "hatchling"],
                facts: &[
                    "Hatchling of Ashkeel, named by Tamsin; long as a cat",
                    "Sings the note of the lost whistle",
                ],
            },
            Entity {
                kind: "location",
                name: "The nest",
                keywords: &["nest", "cave"],
                facts: &[
                    "Warm cave under the reef, a ring of ships' timbers; flooded at high tide",
                ],
            },
            Entity {
                kind: "item",
                name: "Bone whistle",
                keywords: &["bone whistle", "whistle"],
                facts: &["Lost in the flooded shaft under the reef"],
            },
            Entity {
                kind: "lore",
                name: "Lantern signal",
                keywords: &["signal", "three long"],
                facts: &["Three long, one short: the ticking of a dragon's egg, stolen by Pell"],
            },
            Entity {
                kind: "faction",
                name: "Tallow Company",
                keywords: &["tallow company", "company"],
                facts: &[
                    "Knew of the egg; its ledger says \"one item, live, to be collected\"",
                    "Buys what washes ashore when a lighthouse fails",
                ],
            },
            Entity {
                kind: "location",
                name: "Merrowby",
                keywords: &["merrowby", "harbour", "quay"],
                facts: &["Harbour town under the Candlestick; Pell signalled from its quay"],
            },
        ],
        dropped: &["location-Merrowby quay"],
        running: "DEVELOPMENTS:\n\
            Osgood Pell was the Lantern Man and fled\n\
            Ashkeel died on the reef; he was guarding an egg\n\
            Pinch hatched and lives in the Candlestick\n\
            The bone whistle is lost\n\
            \n\
            OPEN:\n\
            The Tallow Company wants the hatchling\n\
            How will the light burn without oil?\n\
            \n\
            STATE:\n\
            Home at the Candlestick, low on everything but soup",
    },
];
