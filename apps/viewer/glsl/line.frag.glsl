flat in vec4 vEnds;
flat in vec4 vLine;
flat in vec4 vInk;
layout(location = 0) out vec4 oColour;
uniform sampler2D uDepth;
uniform int uFactor;

void main()
{
    vec2 d = vEnds.zw - vEnds.xy, q = gl_FragCoord.xy - vEnds.xy;
    float size = length(d), along = size > 0.0 ? dot(q, d) / size : 0.0;
    float across = size > 0.0 ? abs(q.x * d.y - q.y * d.x) / size : length(q);
    float over = max(max(-along, along - size), 0.0), cover = clamp(vLine.z / 2.0 + 0.5 - length(vec2(across, over)), 0.0, 1.0);
    float w = mix(vLine.x, vLine.y, size > 0.0 ? clamp(along / size, 0.0, 1.0) : 0.0);
    float z = (uFlatView ? w : 1.0 / w) - vLine.w, seen = 0.0;
    for (int y = 0; y < uFactor; y++)
        for (int x = 0; x < uFactor; x++)
            seen += z <= texelFetch(uDepth, ivec2(gl_FragCoord.xy) * uFactor + ivec2(x, y), 0).r ? 1.0 : 0.0;
    oColour = vec4(vInk.rgb, vInk.a * cover * seen / float(uFactor * uFactor));
}
