// Closes the notches between particles where the liquid ends; see render/liquid.c.
layout(location = 0) out vec4 oSeen;
uniform sampler2D uFrom; // depth, scalar, fluid
uniform ivec2 uPixels;
uniform float uRadius;
uniform float uClosing; // [r]

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    oSeen = texelFetch(uFrom, at, 0);
    if (oSeen.x >= NOTHING)
        return;
    float reach = min(uClosing * uRadius * uFocal / (uFlatView ? 1.0 : oSeen.x), 39.0);
    for (int k = 0; k < 16; k++) {
        float angle = 6.2831853 * float(k) / 16.0;
        ivec2 t = at + ivec2(round(reach * vec2(cos(angle), sin(angle))));
        bool within = all(greaterThanEqual(t, ivec2(0))) && all(lessThan(t, uPixels));
        oSeen.x = within ? max(oSeen.x, texelFetch(uFrom, t, 0).x) : oSeen.x;
    }
}
