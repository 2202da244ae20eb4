// A pixel of a liquid over the picture of everything else, encoded; see render/liquid_shade.c.
layout(location = 0) out vec4 oColour;
uniform sampler2D uSeen;      // depth, scalar, fluid of the smooth surface
uniform sampler2D uDepth;     // of what is opaque, samples
uniform sampler2D uFrom;      // its picture, linear
uniform sampler2D uThickness; // [r] half-size
uniform sampler2D uBehind;    // half-size
uniform sampler2D uShadow;
uniform sampler2D uMap;       // rows: scalars, fluids, absorption and index of refraction of fluids
uniform int uFactor;
uniform ivec2 uPixels, uHalfPixels;
uniform float uRadius;
uniform bool uClearLiquid, uByScalar;
uniform vec2 uRange;
uniform mat3 uShadowTurn;
uniform vec3 uShadowMove;
uniform float uShadowFocal;
uniform int uShadowSize;

float depthAt(ivec2 at)
{
    bool within = all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, uPixels));
    return within ? texelFetch(uSeen, at, 0).x : NOTHING;
}

float opaqueDepth(ivec2 at)
{
    return texelFetch(uDepth, at * uFactor, 0).r;
}

vec3 slope(ivec2 at, ivec2 o, vec3 p)
{
    float before = depthAt(at - o), after = depthAt(at + o), edge = 2.0 * uRadius, b = abs(before - p.z), a = abs(after - p.z);
    vec3 from = b < edge || b < a ? viewPoint(vec2(at - o) + 0.5, before) : p;
    vec3 to = a < edge || a <= b ? viewPoint(vec2(at + o) + 0.5, after) : p;
    return to - from;
}

vec3 normalAt(ivec2 at, vec3 p)
{
    vec3 n = normalize(cross(slope(at, ivec2(0, 1), p), slope(at, ivec2(1, 0), p)));
    return dot(n, p) > 0.0 ? -n : n;
}

// [m] between those of the four half-size pixels around that have the same behind them
float thicknessAt(ivec2 at, float behind)
{
    vec2 f = (vec2(at) + 0.5) / 2.0 - 0.5;
    ivec2 first = ivec2(floor(f));
    vec2 u = f - floor(f);
    float sum = 0.0, weights = 0.0, nearest = 1e30, best = 0.0;
    for (int k = 0; k < 4; k++) {
        ivec2 t = clamp(first + ivec2(k & 1, k >> 1), ivec2(0), uHalfPixels - 1);
        float off = abs(texelFetch(uBehind, t, 0).r - behind), value = texelFetch(uThickness, t, 0).r;
        float w = off < 6.0 * uRadius ? ((k & 1) != 0 ? u.x : 1.0 - u.x) * ((k & 2) != 0 ? u.y : 1.0 - u.y) + 1e-3 : 0.0;
        sum += w * value;
        weights += w;
        best = off < nearest ? value : best;
        nearest = min(off, nearest);
    }
    return uRadius * (weights > 0.0 ? sum / weights : best);
}

float fresnel(float cosine, float ior)
{
    float c = sqrt(1.0 - (1.0 - cosine * cosine) / (ior * ior));
    float a = (cosine - ior * c) / (cosine + ior * c), b = (ior * cosine - c) / (ior * cosine + c);
    return min(0.5 * (a * a + b * b), 1.0);
}

vec3 refracted(ivec2 at, vec3 p, vec3 to, float way, inout float thickness)
{
    vec3 q = p + way * to;
    ivec2 px = ivec2(uCentre + q.xy * uFocal / (uFlatView ? 1.0 : max(q.z, 1e-6)));
    bool outside = any(lessThan(px, ivec2(0))) || any(greaterThanEqual(px, uPixels));
    if (outside || opaqueDepth(px) < p.z)
        return texelFetch(uFrom, at, 0).rgb;
    float there = opaqueDepth(px);
    if (abs(there - opaqueDepth(at)) > 6.0 * uRadius)
        thickness = max(thickness, thicknessAt(px, there));
    return texelFetch(uFrom, px, 0).rgb;
}

bool ends(float here, float beside, float opposite)
{
    return beside - here > 2.0 * uRadius + 2.0 * max(here - opposite, 0.0);
}

float rimAt(ivec2 at, float z)
{
    int k = int(clamp(1.2 * uRadius * uFocal / (uFlatView ? 1.0 : z), 1.0, 39.0));
    float l = depthAt(at - ivec2(k, 0)), r = depthAt(at + ivec2(k, 0)), t = depthAt(at - ivec2(0, k)), b = depthAt(at + ivec2(0, k));
    int count = int(ends(z, l, r)) + int(ends(z, r, l)) + int(ends(z, t, b)) + int(ends(z, b, t));
    return min(0.5 * float(count), 1.0);
}

float turnAt(ivec2 at, vec3 p, vec3 n)
{
    int k = int(clamp(2.5 * uRadius * uFocal / (uFlatView ? 1.0 : p.z), 1.0, 39.0));
    float turn = 0.0;
    for (int i = 0; i < 4; i++) {
        ivec2 to = at + k * (i < 2 ? ivec2(2 * i - 1, 0) : ivec2(0, 2 * i - 5));
        bool within = all(greaterThanEqual(to, ivec2(1))) && all(lessThan(to, uPixels - 1));
        float z = depthAt(to);
        if (within && z < NOTHING)
            turn = max(turn, length(normalAt(to, viewPoint(vec2(to) + 0.5, z)) - n));
    }
    return turn;
}

vec3 tame(ivec2 at, vec3 p, vec3 n, vec3 sky)
{
    float top = max(sky.x, max(sky.y, sky.z));
    if (top <= 1.2)
        return sky;
    float t = turnAt(at, p, n) / 0.15;
    return sky * (1.2 + (top - 1.2) / (1.0 + t * t * t * t)) / top;
}

vec3 clearColour(ivec2 at, vec3 p, vec3 n, float thickness, int fluid)
{
    vec4 paint = texelFetch(uMap, ivec2(fluid, 2), 0);
    vec3 d = rayOf(p);
    float cosine = clamp(-dot(d, n), 0.0, 1.0), eta = 1.0 / paint.a, rim = rimAt(at, p.z);
    float mirrored = fresnel(max(cosine, 0.15), paint.a) * (1.0 - 0.9 * rim);
    vec3 sky = tame(at, p, n, skyMirrored(d + 2.0 * cosine * n));
    vec3 to = eta * d + (eta * cosine - sqrt(max(1.0 - eta * eta * (1.0 - cosine * cosine), 0.0))) * n;
    vec3 seen = refracted(at, p, to, min(thickness, 16.0 * uRadius), thickness);
    rim *= max(1.0 - thickness / (6.0 * uRadius), 0.0);
    float deepest = max(max(paint.r, paint.g), max(paint.b, 1e-6));
    float way = thickness + min((6.0 + 10.0 * rim) * uRadius, 0.2 * (1.0 + rim) / deepest);
    vec3 dimmed = seen * (1.0 - 0.3 * rim * (1.0 - cosine)) * exp(-paint.rgb * way);
    return mix(dimmed * (0.8 + 0.25 * max(dot(n, uToKey), 0.0)), sky, mirrored);
}

float keyAt(vec3 p, vec3 n)
{
    float texel = 1.0 / uShadowFocal, spread = max(1.5 * uRadius * uShadowFocal, 2.0), light = 0.0;
    if (dot(n, uToKey) <= 0.0)
        return 0.0;
    vec3 place = uShadowTurn * (p + (uRadius + texel) * n) + uShadowMove;
    float z = place.z - 1.2 * uRadius - 2.0 * texel;
    for (int k = 0; k < 4; k++) {
        vec2 at = place.xy + spread * 0.7 * (2.0 * vec2(k & 1, k >> 1) - 1.0), within = clamp(at, vec2(0), vec2(uShadowSize - 1));
        light += at != within || z < texelFetch(uShadow, ivec2(within), 0).r ? 0.25 : 0.0;
    }
    return light;
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 here = texelFetch(uSeen, at, 0);
    vec3 behind = texelFetch(uFrom, at, 0).rgb, colour;
    float opaque = opaqueDepth(at), cover = 1.0;
    oColour = vec4(encoded(behind), 1);
    if (here.x >= NOTHING || here.x > opaque + 0.5 * uRadius)
        return;
    vec3 p = viewPoint(vec2(at) + 0.5, here.x), n = normalAt(at, p);
    int fluid = int(here.z + 0.5);
    if (uClearLiquid) {
        float thickness = thicknessAt(at, opaque);
        colour = clearColour(at, p, n, thickness, fluid);
        cover = min(thickness / (0.8 * uRadius), 1.0);
    } else {
        float t = clamp((here.y - uRange.x) / (uRange.y - uRange.x), 0.0, 1.0);
        vec3 albedo = texelFetch(uMap, uByScalar ? ivec2(int(t * 255.0 + 0.5), 0) : ivec2(fluid, 1), 0).rgb;
        colour = lit(albedo, p, n, vec2(1, keyAt(p, n)), 0.18);
    }
    oColour = vec4(encoded(mix(behind, min(colour, vec3(1)), cover)), 1);
}
