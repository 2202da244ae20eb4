# The pictures of tools/validate, drawn by gnuplot from the curves that the comparisons left in $out.

# gnuplot_to FILE WIDTH HEIGHT: commands on standard input
gnuplot_to()
{
    { echo "set terminal pngcairo size $2,$3 font 'sans,11'; set output '$1'; set datafile separator ','; set key autotitle columnhead; set grid"
      cat; } | gnuplot 2>"$out/gnuplot.log"
}

plot_dam_break_front()
{
    local curves="" file
    for file in $out/dam_break_front*.csv; do
        curves="$curves, '$file' using 1:2 with lines lw 2 title '$(basename "$file" .csv | tr _ ' ')'"
    done
    gnuplot_to $out/dam_break_front.png 900 600 <<END
set title 'front of a dam break'; set xlabel 'T = t sqrt(2 g / L)'; set ylabel 'Z = x / L'; set xrange [0:3.5]; set yrange [1:4.1]; set key left top
plot '$data/front_martin_moyce_1952_large.csv' using 1:2 with points pt 6 title 'Martin, Moyce 1952, 2.25 in', \
     '$data/front_martin_moyce_1952_small.csv' using 1:2 with points pt 8 title 'Martin, Moyce 1952, 1.125 in', \
     '$data/front_koshizuka_oka_1996.csv' using 1:2 with points pt 4 title 'Koshizuka, Oka 1996', \
     '$data/front_lobovsky_2014.csv' using 1:2 with points pt 1 title 'Lobovsky et al. 2014 (column 2:1 long)'$curves
END
}

plot_dam_break_methods()
{
    local curves="" method
    for method in dfsph iisph pcisph sesph; do
        [ -e $out/front_$method.csv ] && curves="$curves, '$out/front_$method.csv' using 1:2 with lines lw 2 title '$method'"
    done
    gnuplot_to $out/dam_break_methods.png 900 600 <<END
set title 'front of a dam break, four pressure methods'; set xlabel 'T = t sqrt(2 g / L)'; set ylabel 'Z = x / L'; set xrange [0:3.5]; set yrange [1:4.1]; set key left top
plot '$data/front_martin_moyce_1952_large.csv' using 1:2 with points pt 6 title 'Martin, Moyce 1952, 2.25 in'$curves
END
}

plot_dam_break_box()
{
    gnuplot_to $out/dam_break_box.png 1500 1500 <<END
set multiplot layout 4,3
e = '$data/dam_break_box_kleefsman_2005.csv'
s = '$out/dam_break_box.csv'
set xlabel 't [s]'
do for [k = 10:13] { set title sprintf('H%d [m]', k - 9); plot e using 1:k with lines lw 2 title 'experiment', s using 1:k with lines lw 2 title 'meniscus' }
do for [k = 2:9] {
    if (k < 6) { set xrange [0.2:2] } else { set xrange [0:6] }
    set title sprintf('P%d [Pa]', k - 1); plot e using 1:k with lines lw 2 title 'experiment', s using 1:k with lines title 'meniscus'
}
END
}

plot_cavity()
{
    local file re
    for file in $out/cavity_*.csv; do
        re=$(basename "$file" .csv | sed 's/cavity_//')
        gnuplot_to $out/cavity_"$re".png 1100 500 <<END
set multiplot layout 1,2 title 'lid-driven cavity, Re = $re'
set xlabel 'u'; set ylabel 'y'; set key right bottom
plot '$data/cavity_ghia_1982_u.csv' using 'Re$re':'s' with points pt 6 title 'Ghia et al. 1982', '$file' using 'u':'s' with lines lw 2 title 'meniscus'
set xlabel 'x'; set ylabel 'v'; set key right top
plot '$data/cavity_ghia_1982_v.csv' using 's':'Re$re' with points pt 6 title 'Ghia et al. 1982', '$file' using 's':'v' with lines lw 2 title 'meniscus'
END
    done
}

# curves "FILES" WHAT [SED]: ", " and a curve for each file that is there; WHAT says using what and its style, SED makes the title of the name
curves()
{
    local file list=""
    for file in $1; do
        [ -e "$file" ] && list="$list, '$file' using $2 title '$(basename "$file" .csv | sed "${3:-s/.*_r/r = /}") m'"
    done
    echo "$list"
}

plot_vortex()
{
    gnuplot_to $out/vortex.png 900 600 <<END
set title 'Taylor-Green vortex, Re = 100'; set xlabel 't U / L'; set ylabel 'kinetic energy (mean of v^2 / U^2)'; set logscale y
plot '$(ls $out/vortex_*.csv | head -n 1)' using 1:3 with lines dt 2 lc black title 'exact'$(curves "$out/vortex_*.csv" '1:2 with lines lw 2')
END
}

plot_standing_wave()
{
    gnuplot_to $out/standing_wave.png 900 600 <<END
set title 'standing wave, 2D'; set xlabel 't [s]'; set ylabel 'momentum along the tank [kg m/s]'
plot 0 with lines dt 2 lc black notitle$(curves "$out/wave_*.csv" "'time':'momentum_x' with lines" 's/wave_//; s/_r/ r = /')
END
}

plot_impact()
{
    gnuplot_to $out/impact.png 900 600 <<END
set title 'a block falls flat beside a wall'; set xlabel 't [s]'; set ylabel 'height of the line of contact [m]'
plot 0 with lines dt 2 lc black notitle$(curves "$out/impact_*.csv" '1:2 with lines lw 2')
END
}

plot_water_at_rest()
{
    local mean="((column('A1')+column('A2')+column('A3')+column('A4')+column('A5'))/5)"
    gnuplot_to $out/water_at_rest.png 900 600 <<END
set title 'water at rest: mean pressure 0.9 m below the surface'; set xlabel 't [s]'; set ylabel 'Pa'
plot 8829 with lines dt 2 lc black title 'rho g depth'$(curves "$out/rest_*.csv" "'time':$mean with lines")
END
}

plot_settling_sphere()
{
    local all="" case
    for case in E1 E2 E3 E4; do
        all="$all${all:+, }'$data/sphere_ten_cate_2002_$case.csv' using 1:2 with points pt 6 title 'ten Cate et al. 2002, $case'"
        all="$all$(curves "$out/sphere_${case}_*.csv" '1:2 with lines lw 2')"
    done
    gnuplot_to $out/settling_sphere.png 900 600 <<END
set title 'a sphere settles in oil'; set xlabel 't [s]'; set ylabel 'm/s'; set xrange [0:1.5]; set key right bottom
plot $all
END
}

plot_buoyancy()
{
    gnuplot_to $out/buoyancy.png 900 600 <<END
set title 'bodies that float: depth against Archimedes'; set xlabel 'kg/m3'; set ylabel 'too deep by [% of the height]'; set yrange [-4:4]
plot 0 with lines dt 2 lc black notitle$(curves "$out/buoyancy_r*.csv $out/buoyancy_boxes_r*.csv" '1:(100*($2-$3)) with linespoints' 's/buoyancy_boxes/boxes/; s/buoyancy/balls/; s/_r/, r = /')
END
}

plot_damper()
{
    gnuplot_to $out/damper.png 1200 500 <<END
set title 'a tank free to roll with sloshing water'; set xlabel 't [s]'; set ylabel 'roll [degrees]'
plot '$data/damper_bulian_2010.csv' using 1:4 with lines lw 2 title 'Bulian et al. 2010', '$out/damper.csv' using 1:2 with lines lw 2 title 'meniscus', '$out/damper_shallow.csv' using 1:2 with lines title 'shallow-water equations'
END
}

plot_plate()
{
    gnuplot_to $out/plate.png 900 600 <<END
set title 'deflection of a clamped plate under 2 m of water'; set xlabel 't [s]'; set ylabel '10^{-6} m'
plot 68.6 with lines dt 2 lc black title 'theory'$(curves "$out/plate_*.csv" "'time':(-1e6*column('middle_y')) with lines")
END
}

plot_gate()
{
    local axis
    for axis in x y; do
        gnuplot_to $out/gate_$axis.png 900 600 <<END
set title 'free end of an elastic gate'; set xlabel 't [s]'; set ylabel 'displacement $axis [m]'; set xrange [0:0.4]; set key right bottom
plot '$data/elastic_gate_antoci_2007_$axis.csv' using 't':'$axis' with points pt 6 title 'Antoci et al. 2007'$(curves "$out/gate_*MPa_*.csv" "'t':'$axis' with lines lw 2" 's/gate_//; s/_r/, r = /; s/MPa/ MPa/')
END
    done
}

# These have nothing to draw.
plot_random() { :; }
plot_sizes() { :; }
