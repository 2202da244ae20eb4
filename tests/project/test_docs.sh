# The texts keep their promises: links lead somewhere, and the scenes that they print are scenes.
. "$(dirname "$0")/lib.sh"
make_scratch
cd "$source_dir"

while IFS= read -r page; do
    for link in $(grep -oE '\]\([^)# ]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:'); do
        [ -e "$(dirname "$page")/$link" ] || fail "$page links to $link, which does not exist"
    done
done < <(project_files | grep '\.md$')

# example ROW NAME WORDS: every file that docs/architecture.md names for such a thing is there and speaks of the one called NAME,
# and no other file of the library has WORDS
example()
{
    local row files named file
    row=$(grep "^| $1 |" docs/architecture.md) || { fail "docs/architecture.md has no row for $1"; return; }
    named=""
    while IFS= read -r file; do
        # shellcheck disable=SC2086
        files=$(ls $file 2>/dev/null) || { fail "$1 $2: docs/architecture.md names $file, which does not exist"; continue; }
        # shellcheck disable=SC2086
        grep -qi "$2" $files || fail "$1 $2: $file does not know it"
        named="$named $(echo "$files" | tr '\n' ' ') "
    done < <(echo "$row" | grep -oE '`(src|include)/[^`]+`' | tr -d '`' | sed "s/NAME/$2/g")
    for file in $(grep -rlE "$3" src include --include=*.c --include=*.h | grep -vE "^src/scene/|/$2[a-z_]*\.[ch]\$"); do
        echo "$named" | grep -qE "(^| )$file( |\$)" || fail "$1 $2: $file has it and docs/architecture.md does not name it"
    done
}
example "a pressure method" pcisph 'pressure_pcisph|MN_PRESSURE_PCISPH|"pcisph"'
example "a coupling" gauss 'coupling_gauss|MN_COUPLING_GAUSS|"gauss"'
example "a kind of solid" elastic '&elastic_system'
example "a kind of fluid" flip 'fluid_flip|MN_PRESSURE_FLIP|"flip"'
example "an output format of particles" bgeo 'PARTICLES_BGEO|"bgeo"|frame_read_bgeo'
example "a scene key" gauss_spacing '\.gauss_spacing ='

# the gallery shows every scene, and every picture is shown somewhere
while IFS= read -r scene; do
    grep -qF "$scene" docs/gallery.md || fail "docs/gallery.md does not show $scene"
done < <(project_files | grep -E '^scenes/.*\.json$')
while IFS= read -r picture; do
    grep -qF "${picture#docs/}" docs/*.md docs/theory/*.md README.md || fail "no text shows $picture"
done < <(project_files | grep '^docs/images/')
for scene in $(grep -ohE 'scenes/[a-z_/0-9]+\.json' README.md docs/*.md docs/theory/*.md | sort -u); do
    [ -e "$scene" ] || fail "the texts name $scene, which does not exist"
done

# whole scenes, that is JSON blocks with fluids, of README and docs
meniscus=$build_dir/bin/meniscus
[ -x "$meniscus" ] || fail "no command at $meniscus"
count=0
while IFS= read -r page; do
    rm -f "$scratch"/*.json
    awk -v out="$scratch/block" '/^```json$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside { print > (out n ".json") }' "$page"
    for scene in "$scratch"/*.json; do
        [ -e "$scene" ] && grep -q '"fluids"' "$scene" || continue
        count=$((count + 1))
        "$meniscus" check "$scene" >"$scratch/log" 2>&1 || fail "a scene of $page: $(cat "$scratch/log")"
    done
done < <(project_files | grep '\.md$')
[ "$count" -ge 1 ] || fail "found no scene in the texts"
finish
