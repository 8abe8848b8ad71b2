namespace Raceway.Analysis.Layouts;

/// <summary>Something that has to be so in the memory of Raceway's own objects, and whether it is.</summary>
/// <param name="Name">What was looked at.</param>
/// <param name="Holds">Whether it is so.</param>
/// <param name="Text">What was found.</param>
public sealed record OwnCheck(string Name, bool Holds, string Text);
