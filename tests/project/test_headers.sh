# The public headers stand alone, in C and in C++, without a warning, and the examples compile against them.
. "$(dirname "$0")/lib.sh"
make_scratch
cxx=${CXX:-c++}
command -v "$cxx" >/dev/null || skip "no C++ compiler"
strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$source_dir/include"

compile()
{
    what=$1
    shift
    log=$("$@" $strict 2>&1) || fail "$what does not compile: $log"
}

for header in "$source_dir"/include/meniscus/*.h; do
    name=meniscus/$(basename "$header")
    # twice: guards against being included twice work
    printf '#include <%s>\n#include <%s>\n' "$name" "$name" >"$scratch/alone.c"
    cp "$scratch/alone.c" "$scratch/alone.cpp"
    compile "$name as C17" "$c_compiler" -std=c17 "$scratch/alone.c"
    compile "$name as C++17" "$cxx" -std=c++17 "$scratch/alone.cpp"
done

for example in "$source_dir"/examples/*.c; do
    compile "$example" "$c_compiler" -std=c17 "$example"
done

# strings of defs take literals, which are constant in C++, and every def has its default
cat >"$scratch/defs.cpp" <<'CPP'
#include <meniscus/meniscus.h>
int main()
{
    mn_SolidDef solid = mn_default_solid_def();
    solid.name = "tank";
    solid.mass = MN_AUTO;
    mn_JointDef joint = mn_default_joint_def();
    joint.solid = "tank";
    mn_ProbeDef probe = mn_default_probe_def();
    probe.name = solid.name;
    return probe.name == joint.solid;
}
CPP
compile "a C++ program" "$cxx" -std=c++17 "$scratch/defs.cpp"

# the check itself can fail
printf '#include <meniscus/defs.h>\nvoid f() { mn_SolidDef s = mn_default_solid_def(); char* name = s.name; (void)name; }\n' >"$scratch/bad.cpp"
if "$cxx" -std=c++17 "$scratch/bad.cpp" $strict >/dev/null 2>&1; then fail "a constant string becomes a plain one"; fi

# each struct whose name ends in Def has a function for its default
for def in $(grep -ohE '^} mn_[A-Za-z]+Def;' "$source_dir/include/meniscus/defs.h" | tr -d '};' | sed 's/ *mn_//'); do
    name=mn_default_$(echo "$def" | sed -E 's/([a-z])([A-Z])/\1_\2/g' | tr '[:upper:]' '[:lower:]')
    grep -q "mn_$def $name(void);" "$source_dir/include/meniscus/defs.h" || fail "mn_$def has no $name()"
done
finish
