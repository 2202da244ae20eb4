# The comparisons of tools/validate tell right from wrong: made-up runs whose answers are known.
. "$(dirname "$0")/lib.sh"
make_scratch
cd "$source_dir"
compare=$build_dir/tools/validation_compare
[ -x "$compare" ] || fail "no comparisons at $compare"

# row QUANTITY: the row of the last comparison, as "value reference verdict"
row() { awk -F '\t' -v q="$1" '$2 == q { print $3, $4, $7 }' "$scratch/rows"; }
# compares numbers: near QUANTITY VALUE TOLERANCE VERDICT
near()
{
    row "$1" | awk -v v="$2" -v t="$3" -v w="$4" '{ d = $1 - v; ok = (d < 0 ? -d : d) <= t && $3 == w } END { exit !ok }' ||
        fail "$1: $(row "$1") instead of $2 within $3, $4"
}

# --- a front that moves at dZ/dT = 1 from T = 0.5 on, and experiments that are early, fast or slow
mkdir -p "$scratch/run/frames"
for k in $(seq 0 20); do
    awk -v k="$k" 'BEGIN {
        print "x,y,z,vx,vy,vz,density,pressure,id,fluid,time"
        t = k * 0.2; z = t < 0.5 ? 1 : 1 + (t - 0.5)
        for (x = 0.01; x < z; x += 0.02) printf "%.4f,0.01,0,0,0,0,1000,0,0,0,%.9f\n", x, t / sqrt(2 * 9.81)
        printf "%.4f,0.01,0,0,0,0,1000,0,0,0,%.9f\n", z + 0.3, t / sqrt(2 * 9.81) # a drop that runs ahead
    }' >"$scratch/run/frames/fluid_$(printf %06d "$k").csv"
done
experiment() { awk -v shift="$1" -v speed="$2" 'BEGIN { print "# made up"; print "T,Z"; for (t = 0.5; t < 3.1; t += 0.25) print t - shift "," 1 + speed * (t - 0.5) }'; }
experiment 0.2 1 >"$scratch/early.csv"
experiment 0 1.5 >"$scratch/fast.csv"
"$compare" front front "$scratch/run" 0.01 1 "$scratch/curve.csv" "$scratch/early.csv" early >"$scratch/rows"
near "front speed dZ/dT, mean of the experiments" 1 0.02 pass
near "time shift in T, early" 0.2 0.03 pass
near "rms distance / L after time shift, early" 0 0.02 pass
near "rms distance / L as it is, early" 0.2 0.03 info
"$compare" front front "$scratch/run" 0.01 1 "$scratch/curve.csv" "$scratch/fast.csv" fast >"$scratch/rows"
near "front speed dZ/dT, mean of the experiments" 1 0.02 FAIL

# --- a wave that loses 5 % per period and swings 1 % too slowly, with another wave beside it
awk 'BEGIN {
    pi = 4 * atan2(1, 1); e = exp(0.8 * pi); omega = sqrt(9.81 * pi * (e - 1) / (e + 1)); T = 2 * pi / omega
    print "time,momentum_x"
    for (t = 0; t < 7; t += 0.01) printf "%.9g,%.9g\n", t, exp(log(0.95) * t / T) * cos(omega * t / 1.01) + 0.1 * cos(2 * omega * t)
}' >"$scratch/wave.csv"
"$compare" wave wave "$scratch/wave.csv" 1 0.4 0.06 0.005 >"$scratch/rows"
near "loss of amplitude per period" 0.05 0.003 pass
near "period [s]" 1.2402 0.002 FAIL

# --- a line of contact that climbs at 5 m/s, and a drop at 12 m/s
mkdir -p "$scratch/slam/frames"
for k in $(seq 0 10); do
    awk -v k="$k" 'BEGIN {
        print "x,y,z,vx,vy,vz,density,pressure,id,fluid,time"
        for (y = 0.01; y <= 0.05 * k + 0.001; y += 0.02) printf "0.01,%.4f,0,0,0,0,1000,0,0,0,%.9f\n", y, 0.01 * k
        printf "0.5,0.5,0,0,%d,0,1000,0,0,0,%.9f\n", k == 5 ? 12 : 1, 0.01 * k
    }' >"$scratch/slam/frames/fluid_$(printf %06d "$k").csv"
done
"$compare" slam slam "$scratch/slam" 0.01 "$scratch/curve.csv" >"$scratch/rows"
near "speed of the line of contact [m/s]" 5 0.3 info
near "fastest particle / speed of the line" 2.4 0.15 FAIL

# --- a linear shear flow is interpolated exactly, up to the walls
mkdir -p "$scratch/shear/frames"
awk 'BEGIN {
    print "x,y,z,vx,vy,vz,density,pressure,id,fluid,time"
    for (x = 0.01; x < 1; x += 0.02) for (y = 0.01; y < 1; y += 0.02) printf "%.4f,%.4f,0,%.6f,%.6f,0,1000,0,0,0,5\n", x, y, 2 * y - 1, 0.5 - x
}' >"$scratch/shear/frames/fluid_000000.csv"
awk 'BEGIN { print "s,Re7"; for (k = 0; k <= 20; k++) print k / 20 "," k / 10 - 1 }' >"$scratch/u.csv"
awk 'BEGIN { print "s,Re7"; for (k = 0; k <= 20; k++) print k / 20 "," 0.6 - k / 20 }' >"$scratch/v.csv"
"$compare" cavity cavity "$scratch/shear" 0.01 4 7 "$scratch/u.csv" "$scratch/v.csv" "$scratch/profiles.csv" >"$scratch/rows"
near "u rms error [lid speed]" 0 1e-4 pass
near "v rms error [lid speed]" 0.1 1e-3 FAIL

# --- probes against tables, orders of convergence
awk 'BEGIN { print "frame,time,A1,A2,A3,A4,A5,B1,B2,B3,B4,B5,H"; for (k = 0; k <= 100; k++) print k "," k / 50 ",8917,8817,9017,8917,8917,5000,5600,4800,5000,5500,1.02" }' >"$scratch/run/probes.csv"
"$compare" rest rest "$scratch/run" 0.01 1 0.9 0.5 >"$scratch/rows"
near "level [m], r = 0.01 m" 1.02 1e-6 FAIL
near "pressure near the floor [Pa], r = 0.01 m" 8917 1 pass
near "pressure at half depth [Pa], r = 0.01 m" 5180 1 FAIL

"$compare" order order error 1.5 0.04 0.16 0.02 0.04 0.01 0.01 >"$scratch/rows"
near "error: error falls by r^p, p" 2 1e-6 pass
"$compare" order order error 0.1 0.04 0.16 0.02 0.17 0.01 0.01 >"$scratch/rows"
[ "$(row "error: error falls by r^p, p" | awk '{ print $3 }')" = FAIL ] || fail "an error that rises once passes"

# --- the experiment itself as a run, one level 0.1 m too high
awk -F, 'BEGIN { OFS = "," } /^#/ { next } /^t/ { sub(/^t/, "frame,time"); print; next } { $10 += 0.1; print 0, $0 }' \
    data/validation/dam_break_box_kleefsman_2005.csv >"$scratch/run/probes.csv"
"$compare" box box "$scratch/run" data/validation/dam_break_box_kleefsman_2005.csv "$scratch/curves.csv" >"$scratch/rows"
near "H1 rms error [m]" 0.1 1e-3 FAIL
near "H2 rms error [m]" 0 1e-9 pass
near "P1 rms error [Pa]" 0 1e-6 pass
near "P1 impact [s]" 0.389 0.001 pass

# --- elastic solids: a plate that goes down by 1 mm from 0.1 s on, a gate that is the experiment but a tenth too far
awk 'BEGIN { print "frame,time,middle,middle_x,middle_y,middle_z"; for (k = 0; k <= 20; k++) print k "," k / 100 ",0,0," (k < 10 ? 0 : -0.001) ",0" }' >"$scratch/run/probes.csv"
"$compare" plate plate "$scratch/run" 0.1 0.00105 0.1 >"$scratch/rows"
near "deflection of the middle [m]" 0.001 1e-9 pass
"$compare" plate plate "$scratch/run" 0.1 0.0012 0.1 >"$scratch/rows"
near "deflection of the middle [m]" 0.001 1e-9 FAIL
gate="data/validation/elastic_gate_antoci_2007_x.csv data/validation/elastic_gate_antoci_2007_y.csv $scratch/gate.csv"
gate_tip() { awk -F, -v share="$1" 'BEGIN { print "frame,time,tip,tip_x,tip_y,tip_z" } !/^#/ && $1 != "t" { printf "0,%g,0,%g,0,0\n", $1 + 0.2, share * $2 }' data/validation/elastic_gate_antoci_2007_x.csv; }
gate_tip 1.1 >"$scratch/run/probes.csv" # let go at 0.2 s
# shellcheck disable=SC2086 # three files
"$compare" gate gate "$scratch/run" 0.2 0.15 $gate >"$scratch/rows"
near "largest displacement of the free end [m]" 0.05103 1e-5 pass
near "largest displacement of the free end, x [m]" 0.05103 1e-5 info
near "largest displacement of the free end, y [m]" 0 1e-9 info
near "rms distance from the measured x / its peak, to 0.36 s" 0.085 0.01 info
gate_tip 0.8 >"$scratch/run/probes.csv"
# shellcheck disable=SC2086
"$compare" gate gate "$scratch/run" 0.2 0.15 $gate >"$scratch/rows"
near "largest displacement of the free end [m]" 0.03711 1e-5 FAIL

# --- a sphere that reaches 0.1 m/s after its release at 0.4 s
awk 'BEGIN { print "frame,time,name,x,y,z,qw,qx,qy,qz,vx,vy,vz"; for (k = 0; k <= 200; k++) { t = k * 0.01; v = t < 0.4 ? 0 : 0.1 * (1 - exp(-(t - 0.4) / 0.1)); printf "%d,%g,sphere,0,0,0,1,0,0,0,0,%g,0\n", k, t, -v } }' >"$scratch/body.csv"
awk 'BEGIN { print "t,v"; for (t = 0; t < 1.6; t += 0.1) print t "," 0.1 * (1 - exp(-t / 0.1)) }' >"$scratch/fall.csv"
"$compare" sphere sphere "$scratch/body.csv" 0.4 0.098 0.05 "$scratch/fall.csv" "$scratch/curve.csv" >"$scratch/rows"
near "fastest fall [m/s]" 0.1 0.0005 pass
near "rms distance from the curve / peak" 0 0.06 info
"$compare" sphere sphere "$scratch/body.csv" 0.4 0.11 0.05 "$scratch/fall.csv" "$scratch/curve.csv" >"$scratch/rows"
near "fastest fall [m/s]" 0.1 0.0005 FAIL

# --- a tank that rolls by 10 degrees, a twentieth of a period late
roll() { awk -v late="$1" -v high="$2" 'BEGIN { pi = 4 * atan2(1, 1); print "t,roll"; for (k = 0; k <= 1040; k++) print k * 0.03 "," high * sin(2 * pi * (k * 0.03 / 1.94 - late)) }'; }
roll 0 9 >"$scratch/measured.csv"
roll 0.02 10 >"$scratch/roll.csv"
"$compare" damper damper "$scratch/roll.csv" "$scratch/measured.csv" roll 0.15 >"$scratch/rows"
near "roll amplitude, last 4 periods [degrees]" 10 0.1 pass
near "phase, as a share of the period" 0.02 0.005 pass
roll 0.2 10 >"$scratch/roll.csv"
"$compare" damper damper "$scratch/roll.csv" "$scratch/measured.csv" roll 0.05 >"$scratch/rows"
near "roll amplitude, last 4 periods [degrees]" 10 0.1 FAIL
near "phase, as a share of the period" 0.2 0.005 FAIL

# --- shallow water in a tank: a small weight is held by dry friction, a larger one tilts it until the moments agree, within that friction
tilt() { printf 't,mass_m\n0,0\n2,%s\n25,%s\n' "$1" "$1" >"$scratch/drive.csv" && "$compare" shallow "$scratch/drive.csv" "$scratch/roll.csv" && tail -n 1 "$scratch/roll.csv" | cut -d, -f 2; }
[ "$(tilt -0.01)" = 0 ] || fail "10 mm turn the tank: $(tail -n 1 "$scratch/roll.csv")"
# weight x arm / (tank + water's weight below the axis - its free surface), and the friction over the same
tilt -0.05 | awk '{ g = 9.81; k = g * (29.2 + 998 * 0.062 * (0.9 * 0.092 * 0.424 - 0.9 ^ 3 / 12)); r = 57.29578 / k; d = $1 - 4.978 * g * 0.05 * r; exit !((d < 0 ? -d : d) <= 1.05 * 0.66 * r) }' ||
    fail "a weight 50 mm off the middle: $(tail -n 1 "$scratch/roll.csv")"

# --- what is missing is said
if "$compare" front front "$scratch/nothing" 0.01 1 "$scratch/curve.csv" 2>"$scratch/log"; then fail "a run that is not there passes"; fi
grep -q "cannot open" "$scratch/log" || fail "no message about a missing run: $(cat "$scratch/log")"
if tools/validate --meniscus "$build_dir/bin/meniscus" no_such_case 2>"$scratch/log"; then fail "an unknown case passes"; fi
grep -q "there is no case no_such_case" "$scratch/log" || fail "no message about an unknown case: $(cat "$scratch/log")"

# --- the scenes are scenes
for scene in scenes/validation/*.json; do
    "$build_dir/bin/meniscus" check "$scene" >"$scratch/log" 2>&1 || fail "$scene: $(cat "$scratch/log")"
done
finish
