// Ray d = (dx, dy, 1), sphere (c, r): z = (d.c - sqrt(D)) / d.d with D = d.d r^2 - |e x c|^2, d = c/c_z + e; see render/splat.c.
flat in vec4 vSphere;
flat in vec3 vColour;
flat in vec2 vValue;
#ifdef GBUFFER
layout(location = 0) out vec4 oNormal;
layout(location = 1) out vec4 oDepth;
layout(location = 2) out vec4 oColour;
#else
layout(location = 0) out vec4 oSeen;
uniform float uClear; // lets light through
#endif

void main()
{
    vec2 d = (gl_FragCoord.xy - uCentre) / uFocal;
    float r = vSphere.w, z;
    if (uFlatView) {
        vec2 e = d - vSphere.xy;
        float disc = r * r - dot(e, e);
        if (disc <= 0.0)
            discard;
        z = vSphere.z - sqrt(disc);
    } else {
        vec2 e = d - vSphere.xy / vSphere.z;
        float cross = e.x * vSphere.y - e.y * vSphere.x, dd = dot(d, d) + 1.0;
        float disc = dd * r * r - (vSphere.z * vSphere.z * dot(e, e) + cross * cross);
        if (disc <= 0.0)
            discard;
        z = (dot(d, vSphere.xy) + vSphere.z - sqrt(disc)) / dd;
    }
    gl_FragDepth = depthKept(z);
#ifdef GBUFFER
    oNormal = vec4(normalize(viewPoint(gl_FragCoord.xy, z) - vSphere.xyz), 2);
    oDepth = vec4(z);
    oColour = vec4(vColour, 0);
#elif defined(LIQUID)
    oSeen = vec4(z, vValue, 0);
#else
    oSeen = vec4(z, uClear, 0, 0);
#endif
}
