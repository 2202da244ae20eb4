in vec2 vPlace;
flat in vec4 vInk;
flat in vec4 vShape;
flat in float vKind;
layout(location = 0) out vec4 oColour;
uniform sampler2D uLetters, uPicture;

void main()
{
    int kind = int(vKind + 0.5);
    oColour = vInk;
    if (kind == 1)
        oColour.a *= texture(uLetters, vPlace).r;
    if (kind == 2) {
        vec2 d = vShape.zw - vShape.xy, q = vPlace - vShape.xy;
        float size = max(length(d), 1e-6), along = dot(q, d) / size;
        float across = abs(q.x * d.y - q.y * d.x) / size, over = max(max(-along, along - size), 0.0);
        oColour.a *= clamp(1.0 - length(vec2(across, over)), 0.0, 1.0);
    }
    if (kind == 3)
        oColour.a *= clamp(vShape.z + 0.5 - distance(vPlace, vShape.xy), 0.0, 1.0);
    if (kind == 4)
        oColour = vec4(texture(uPicture, vPlace).rgb, 1);
}
