// How much sky and key light reach a pixel; see render/light.c for the formulas.
layout(location = 0) out vec4 oReach;
uniform sampler2D uDepth, uNormal, uShadow;
uniform int uFactor;      // samples per pixel and direction
uniform ivec2 uPixels;    // of the picture
uniform float uSkyRadius; // [m]
uniform float uRadius;    // [m] of particles
uniform vec3 uToKey;
uniform mat3 uShadowTurn; // view space to samples of the shadow map, columns as GLSL has them
uniform vec3 uShadowMove;
uniform float uShadowFocal; // [samples/m]
uniform int uShadowSize;

const int SKY_TAPS = 10, KEY_TAPS = 6;
const int TURNS[16] = int[16](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);

vec2 tap(int k, int taps, float share, float power)
{
    float radius = pow((float(k) + share) / float(taps), power), angle = 2.39996323 * float(k) + share * 6.2831853;
    return radius * vec2(cos(angle), sin(angle));
}

float sky(ivec2 at, vec3 p, vec3 n, float share)
{
    float metres = float(uFactor) / uFocal * (uFlatView ? 1.0 : p.z), reach = min(uSkyRadius / metres, 64.0);
    float radius = reach * metres, rr = radius * radius, sum = 0.0;
    if (reach < 1.5)
        return 1.0;
    for (int k = 0; k < SKY_TAPS; k++) {
        ivec2 t = clamp(at + ivec2(floor(reach * tap(k, SKY_TAPS, share, 1.0) + 0.5)), ivec2(0), uPixels - 1) * uFactor;
        vec3 v = viewPoint(vec2(t) + 0.5, texelFetch(uDepth, t, 0).r) - p;
        float vv = dot(v, v), fall = max(1.0 - vv / rr, 0.0), rise = max(dot(v, n) - 0.02 * radius, 0.0);
        sum += rise * radius / (vv + 0.01 * rr) * fall * fall;
    }
    return max(1.0 - 0.9 / float(SKY_TAPS) * sum, 0.0);
}

float key(vec3 p, vec3 n, float share)
{
    float texel = 1.0 / uShadowFocal, spread = max(1.5 * uRadius * uShadowFocal, 2.0), lit = 0.0;
    if (dot(n, uToKey) <= 0.0)
        return 0.0;
    vec3 place = uShadowTurn * (p + (0.5 * uRadius + texel) * n) + uShadowMove;
    float z = place.z - 1.2 * uRadius - 2.0 * texel;
    for (int k = 0; k < KEY_TAPS; k++) {
        vec2 at = place.xy + spread * tap(k, KEY_TAPS, share, 0.5), within = clamp(at, vec2(0), vec2(uShadowSize - 1));
        vec2 seen = texelFetch(uShadow, ivec2(within), 0).rg;
        lit += at != within || z < seen.r ? 1.0 : seen.g > 0.5 ? 0.6 : 0.0;
    }
    return lit / float(KEY_TAPS);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), first = at * uFactor;
    float z = texelFetch(uDepth, first, 0).r;
    oReach = vec4(1);
    if (z >= NOTHING)
        return;
    vec3 p = viewPoint(vec2(first) + 0.5, z), n = texelFetch(uNormal, first, 0).xyz;
    float share = (float(TURNS[(at.y % 4) * 4 + at.x % 4]) + 0.5) / 16.0;
    oReach = vec4(sky(at, p, n, share), key(p, n, share), 0, 0);
}
