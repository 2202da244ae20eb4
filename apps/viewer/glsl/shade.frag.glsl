// Colours of everything but the liquid, in linear light, a sample each.
layout(location = 0) out vec4 oColour;
uniform sampler2D uDepth, uNormal, uAlbedo, uReach;
uniform int uFactor;
uniform ivec2 uPixels;
uniform vec3 uBackground; // linear
uniform vec3 uGroundMiddle;
uniform float uGroundRadius;
uniform int uGroundPattern; // -1: none, 0: a colour, 1: checkers, 2: a picture
uniform vec3 uGroundColour, uGroundChecker, uGroundOrigin;
uniform float uGroundSize;
uniform sampler2D uGroundPicture;
uniform vec3 uEye; // [m] world

// From the pixel itself or, at an edge, the neighbour that saw the same surface.
vec2 reachAt(ivec2 px, float z)
{
    float off = abs(texelFetch(uDepth, px * uFactor, 0).r - z);
    ivec2 best = px;
    if (off >= 0.01 * z)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                ivec2 t = clamp(px + ivec2(x, y), ivec2(0), uPixels - 1);
                float difference = abs(texelFetch(uDepth, t * uFactor, 0).r - z);
                best = difference < off ? t : best;
                off = min(off, difference);
            }
    return texelFetch(uReach, best, 0).rg;
}

vec3 backgroundAt(vec3 p)
{
    return uSky == 0 ? uBackground : skyLight(rayOf(p));
}

vec3 groundPattern(vec3 world)
{
    vec3 p = (world - uGroundOrigin) / uGroundSize, up = uToWorld * uUp, a = abs(up);
    int axis = a.y >= a.x && a.y >= a.z ? 1 : a.x >= a.z ? 0 : 2;
    if (uGroundPattern == 1) {
        p[axis] -= up[axis] > 0.0 ? 1e-3 : -1e-3;
        vec3 whole = floor(p);
        return (int(whole.x) + int(whole.y) + int(whole.z)) % 2 == 0 ? uGroundColour : uGroundChecker;
    }
    float u = axis == 1 ? p.x : axis == 0 ? (up.x > 0.0 ? -p.z : p.z) : (up.z > 0.0 ? p.x : -p.x);
    return textureLod(uGroundPicture, vec2(u, axis == 1 ? p.z : -p.y) + 0.5, 0.0).rgb;
}

vec3 ground(vec3 p, ivec2 px)
{
    float away = length(p - uGroundMiddle), near = 1.0 - smoothstep(uGroundRadius, 2.6 * uGroundRadius, away);
    vec3 colour = backgroundAt(p);
    if (near <= 0.0)
        return colour;
    vec2 reach = reachAt(px, p.z);
    if (uGroundPattern < 0 && uSky != 0)
        colour = mix(colour, vec3(0.55, 0.52, 0.47), near);
    if (uGroundPattern >= 0)
        colour = mix(colour, uGroundPattern == 0 ? uGroundColour : groundPattern(uToWorld * p + uEye), near);
    return colour * (1.0 - near * ((1.0 - reach.y) * 0.34 + (1.0 - reach.x) * 0.5));
}

vec3 solid(int kind, vec4 albedo, vec3 p, vec3 n, vec2 reach)
{
    if (kind == 7) {
        float dim = (1.0 - reach.y) * (dot(n, uToKey) > 0.0 ? 0.22 : 0.05) + (1.0 - reach.x) * 0.5;
        float turned = 0.045 + 0.05 * (1.0 - dot(n, uUp)) + 0.03 * n.x;
        return mix(uBackground, albedo.rgb, 0.06) * (1.0 - turned) * (1.0 - dim);
    }
    if (kind == 6)
        return mix(lit(albedo.rgb, p, n, reach, 0.3), uBackground, 0.6);
    vec3 colour = lit(albedo.rgb, p, n, reach, kind == 4 ? 0.0 : 0.10);
    if (kind != 5)
        return colour;
    return mix(albedo.rgb * skyLight(reflect(rayOf(p), n)) * (0.4 + 0.6 * reach.x), colour, albedo.a);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy), px = at / uFactor;
    float z = texelFetch(uDepth, at, 0).r;
    vec4 n = texelFetch(uNormal, at, 0);
    int kind = int(n.w + 0.5);
    vec3 p = viewPoint(vec2(at) + 0.5, kind == 0 ? 1.0 : z);
    if (kind == 0)
        oColour = vec4(backgroundAt(p), 1);
    else if (kind == 1)
        oColour = vec4(ground(p, px), 1);
    else
        oColour = vec4(solid(kind, texelFetch(uAlbedo, at, 0), p, normalize(n.xyz), reachAt(px, z)), 1);
}
