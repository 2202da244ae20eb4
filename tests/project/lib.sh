# Shared by the scripts of this folder; they are called with: source folder, build folder, C compiler, cmake.
set -eu
source_dir=$1
build_dir=$2
c_compiler=$3
cmake=$4
failures=0

fail()
{
    echo "FAIL: $*"
    failures=$((failures + 1))
}

skip()
{
    echo "skipped: $*"
    exit 77
}

finish()
{
    if [ "$failures" -gt 0 ]; then
        echo "$failures failures"
        exit 1
    fi
    exit 0
}

# All files of the project, one per line: what git knows or would know, or, in an unpacked archive, what is there.
project_files()
{
    if [ -e .git ] && command -v git >/dev/null; then
        git ls-files --cached --others --exclude-standard
    else
        find . -path './build*' -prune -o -path ./demo -prune -o -path ./validation -prune -o -type f -printf '%P\n'
    fi | sort | while IFS= read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done
}

# A scratch folder in $scratch that goes away with the script.
make_scratch()
{
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
}
