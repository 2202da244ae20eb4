# Scenes that broke once, by their names. Called with: the command, the generator, the scaler.
exec bash "$(dirname "$0")/named.sh" "$1"
