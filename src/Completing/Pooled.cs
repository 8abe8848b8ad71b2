namespace Raceway.Completing;

/// <summary>
/// Something that is used again. While it is not in use, it is linked into its <see cref="Pool{T}"/>; its user may link it
/// into a list of its own by the same word.
/// </summary>
internal abstract class Pooled
{
    /// <summary>The next of the list it is in.</summary>
    internal Pooled? Next;
}
