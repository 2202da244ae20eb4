in vec3 vPoint;
in vec3 vNormal;
in vec3 vFace;
in vec3 vOwn;
uniform mat3 uTurn;
uniform vec4 uCutView; // what has xyz . p > w is hidden
uniform int uLook;     // 0 solid, 1 container, 2 tank, 3 edges, 4 glass
uniform vec3 uMiddle;  // [m] of the fluid, view space
#ifdef GBUFFER
layout(location = 0) out vec4 oNormal;
layout(location = 1) out vec4 oDepth;
layout(location = 2) out vec4 oColour;
uniform int uKind; // 3 paint, 4 matte, 5 metal, 6 glass, 7 wall
uniform vec3 uColour, uChecker, uOrigin;
uniform float uRoughness;
uniform float uPatternSize; // [m]
uniform int uPattern;       // 0 none, 1 checkers, 2 picture
uniform sampler2D uPicture;
#elif defined(GLASS) || defined(PANE)
layout(location = 0) out vec4 oColour;
uniform vec3 uColour;
uniform sampler2D uDepth;
uniform int uFactor;
uniform float uSlack; // [m] particles that touch a pane from behind may bulge through it
#else
layout(location = 0) out vec4 oSeen;
#endif

bool isOuter()
{
    return uFlatView ? vFace.z < 0.0 : dot(vFace, vPoint) < 0.0;
}

bool isPane()
{
    if (uLook == 0)
        return false;
    if (uLook >= 3)
        return true;
    if (uLook == 1)
        return isOuter();
    return !isOuter() || dot(vFace, uMiddle - vPoint) < 0.0;
}

vec3 turned(vec3 n)
{
    return (uFlatView ? n.z : dot(n, vPoint)) > 0.0 ? -n : n;
}

#ifdef GBUFFER
// Checkers in space, or a picture laid on along the axis that the surface looks along most; see render/pattern.c.
vec3 patterned(vec3 own, vec3 n)
{
    vec3 p = (own - uOrigin) / uPatternSize, a = abs(n);
    int axis = a.y >= a.x && a.y >= a.z ? 1 : a.x >= a.z ? 0 : 2;
    if (uPattern == 1) {
        p[axis] -= n[axis] > 0.0 ? 1e-3 : -1e-3;
        vec3 whole = floor(p);
        return (int(whole.x) + int(whole.y) + int(whole.z)) % 2 == 0 ? uColour : uChecker;
    }
    float u = axis == 1 ? p.x : axis == 0 ? (n.x > 0.0 ? -p.z : p.z) : (n.z > 0.0 ? p.x : -p.x);
    float v = axis == 1 ? p.z : -p.y;
    return textureLod(uPicture, vec2(u, v) + 0.5, 0.0).rgb;
}
#endif

void main()
{
    if (dot(uCutView.xyz, vPoint) > uCutView.w)
        discard;
    vec3 n = turned(normalize(vNormal));
#ifdef GLASS
    if (texelFetch(uDepth, ivec2(gl_FragCoord.xy) * uFactor + uFactor / 2, 0).r < vPoint.z)
        discard;
    float side = 1.0 - min(abs(dot(rayOf(vPoint), n)), 1.0);
    oColour = vec4(0.5 + 0.5 * uColour, 0.07 + 0.4 * side * side * side * (isOuter() ? 1.0 : 0.4));
#elif defined(PANE)
    if (!isPane() || texelFetch(uDepth, ivec2(gl_FragCoord.xy), 0).r + uSlack < vPoint.z)
        discard;
    oColour = vec4(1, 1, 1, 0.010);
#else
    if (isPane() || vPoint.z <= 0.0)
        discard;
    gl_FragDepth = depthKept(vPoint.z);
#ifdef GBUFFER
    oNormal = vec4(n, float(uKind));
    oDepth = vec4(vPoint.z);
    oColour = vec4(uPattern > 0 ? patterned(vOwn, transpose(uTurn) * n) : uColour, uRoughness);
#else
    oSeen = vec4(vPoint.z, 0, 0, 0);
#endif
#endif
}
