// Smooths the surface of a liquid along one direction; see render/liquid.c.
layout(location = 0) out vec4 oSeen;
uniform sampler2D uFrom; // depth, scalar, fluid
uniform ivec2 uAlong;
uniform ivec2 uPixels;
uniform float uRadius;
uniform bool uFine;

vec4 seenAt(ivec2 at)
{
    bool within = all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, uPixels));
    return within ? texelFetch(uFrom, at, 0) : vec4(NOTHING, 0, 0, 0);
}

void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    vec4 here = texelFetch(uFrom, at, 0);
    oSeen = here;
    if (here.x >= NOTHING)
        return;
    float reach = 7.0 * uRadius * uFocal / (uFlatView ? 1.0 : here.x);
    reach = uFine ? clamp(0.5 * reach, 2.0, 6.0) : clamp(reach, 2.0, 39.0);
    int taps = min(int(reach), 10);
    float far = here.x + 6.0 * uRadius, near = here.x - uRadius;
    vec3 sum = vec3(here.xy, 1);
    for (int k = 1; k <= taps; k++) {
        ivec2 o = uAlong * int(float(k) * reach / float(taps) + 0.5);
        vec4 a = seenAt(at - o), b = seenAt(at + o);
        float t = 2.0 * float(k * 10 / taps) / 10.0;
        if (a.x < far && b.x < far)
            sum += exp(-0.5 * t * t) * vec3(max(a.x, near) + max(b.x, near), a.y + b.y, 2);
    }
    oSeen.xy = sum.xy / sum.z;
}
