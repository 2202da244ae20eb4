# Six random scenes in four sizes; `tools/validate sizes` takes more. Called with: the command, the generator.
exec bash "$(dirname "$0")/sizes.sh" "$1" "$2" 1 6
