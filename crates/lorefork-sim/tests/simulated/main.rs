//! Everything that is played on the simulated host, but for what is measured against the truth. One program: the engine is
//! compiled for this host once, and its tests run beside each other.

mod changes;
mod checker;
mod family;
mod flows;
mod forks;
mod host;
mod housekeeping;
mod large;
mod requirements;
mod story;
mod tangled_by_sillytavern;
mod tombstones;
mod undecided;
mod untangle;
mod whole_fix;
