using Raceway.Pipelines;

namespace Raceway.Interop.Distributed;

/// <summary>Which link: the same on every side.</summary>
/// <param name="Name">Unique in its broker: letters, digits, '.', '-', '_'; the pipeline's name and the link's.</param>
/// <param name="Partitions">Into how many queues its keys are spread, 1 to 1024.</param>
/// <param name="Generation">Counted up whenever the number of partitions changes: other queues, so that no key moves in one.</param>
public sealed record LinkAddress(string Name, int Partitions, int Generation = 0)
{
    private const int MostPartitions = 1024;

    /// <summary>What the name of everything begins with that the link has at its broker.</summary>
    public string Prefix => $"{Name}.g{Generation}.";

    /// <summary>What frames are marked with, so that one that comes by another link is not taken.</summary>
    internal uint Tag => (uint)KeyHash.Of($"{Name}.g{Generation}.{Partitions}");

    /// <summary>The name of a partition's queue: <c>{name}.g{generation}.p{00}</c>.</summary>
    public string QueueOf(int partition) => $"{Prefix}p{partition:00}";

    /// <summary>The name of the queue for frames that could not be handled.</summary>
    public string ParkedQueue => $"{Prefix}parked";

    internal LinkAddress Checked()
    {
        if (string.IsNullOrEmpty(Name) || Name.Length > 200 || !Name.All(IsNamePart)) throw LinkErrors.Name(Name);
        if (Partitions is < 1 or > MostPartitions) throw LinkErrors.Partitions(Partitions, MostPartitions);
        return Generation >= 0 ? this : throw LinkErrors.Generation(Generation);
    }

    private static bool IsNamePart(char c) => char.IsAsciiLetterOrDigit(c) || c is '.' or '-' or '_';
}
