namespace Raceway.Completing;

/// <summary>
/// Something that is used again. While nobody has it, it is linked into its <see cref="Pool{T}"/>; who has it may link it
/// into a list of its own by the same word.
/// </summary>
internal abstract class Pooled
{
    /// <summary>The next of the list it is in.</summary>
    internal Pooled? Next;
}
