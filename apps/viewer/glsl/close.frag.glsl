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
    int reach = int(min(uClosing * uRadius * uFocal / (uFlatView ? 1.0 : oSeen.x), 39.0)), far = 1 + reach / 12;
    for (int j = -reach; j <= reach; j += far) {
        int w = int(sqrt(float(reach * reach - j * j)));
        for (int i = -w; i <= w; i += far) {
            ivec2 t = at + ivec2(i, j);
            bool within = all(greaterThanEqual(t, ivec2(0))) && all(lessThan(t, uPixels));
            oSeen.x = within ? max(oSeen.x, texelFetch(uFrom, t, 0).x) : oSeen.x;
        }
    }
}
