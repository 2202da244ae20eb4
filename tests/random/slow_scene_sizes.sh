# Scenes of the project in other sizes; `tools/validate sizes` takes all. Called with: the command, the generator, the scaler.
here=$(dirname "$0")
cd "$here/../.." || exit 1
exec bash tests/random/scene_sizes.sh "$1" "$3" 0.02 scenes/dam_break_2d.json scenes/rigid/chain.json scenes/elastic/hanging_cloth.json \
    scenes/tension/drop_on_floor.json
