# Light sheets with light bodies in water. Called with: the command, the generator, the scaler.
exec bash "$(dirname "$0")/sheets.sh" "$1"
