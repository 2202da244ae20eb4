# Twenty random scenes; `tools/validate random` goes on to 500. Called with: the command, the generator.
exec bash "$(dirname "$0")/seeds.sh" "$1" "$2" 1 20
