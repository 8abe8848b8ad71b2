using Raceway.Pipelines;

namespace Raceway.Interop.Distributed;

/// <summary>Which worker has which partition: the same answer wherever it is asked for, and little moves when workers change.</summary>
/// <remarks>
/// Each partition goes to the worker of its highest score that is not full yet; full is an even share, rounded up. (Highest
/// random weight: Thaler and Ravishankar, 1998; the bound after Mirrokni, Thorup and Zadimoghaddam, 2018.)
/// </remarks>
/// <example>
/// <code>
/// int[] workers = PartitionPlan.Assign(partitions: 8, ["a", "b", "c"]);
/// Console.WriteLine($"partition 0 belongs to worker {workers[0]}");
/// </code>
/// </example>
public static class PartitionPlan
{
    /// <summary>The worker of each partition.</summary>
    /// <param name="partitions">How many partitions, 1 or more.</param>
    /// <param name="workers">The workers' names, one or more, each once.</param>
    /// <returns>For each partition the index of its worker.</returns>
    /// <exception cref="ArgumentException">There is no worker, or no partition, or one twice.</exception>
    public static int[] Assign(int partitions, IReadOnlyList<string> workers)
    {
        ArgumentNullException.ThrowIfNull(workers);
        ArgumentOutOfRangeException.ThrowIfLessThan(partitions, 1);
        if (workers.Count == 0 || workers.Distinct(StringComparer.Ordinal).Count() < workers.Count)
        {
            throw new ArgumentException(
                $"Partitions need workers, each named once: workers={string.Join(", ", workers)}. Name one or more.", nameof(workers));
        }

        int most = (partitions + workers.Count - 1) / workers.Count;
        var loads = new int[workers.Count];
        var owners = new int[partitions];
        for (int partition = 0; partition < partitions; partition++)
        {
            int best = -1;
            ulong highest = 0;
            for (int worker = 0; worker < workers.Count; worker++)
            {
                ulong score = KeyHash.Of($"{workers[worker]}/{partition}");
                if (loads[worker] < most && (best < 0 || score > highest)) (best, highest) = (worker, score);
            }

            owners[partition] = best;
            loads[best]++;
        }

        return owners;
    }
}
