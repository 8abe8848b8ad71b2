using System.Collections.Concurrent;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.PlansSuite;

namespace Raceway.Analysis.Tuning;

/// <summary>The five stages of the plans suite.</summary>
/// <param name="heavy">Which of them hash, see <see cref="ReadingWork"/>.</param>
internal sealed class ReadingTrial(int heavy) : ITrial<Reading>
{
    private static readonly ConcurrentDictionary<int, List<ulong>> s_values = new();
    private readonly ReadingSum _sum = new();

    /// <inheritdoc/>
    public Pipeline<Reading> Build(PipelineSettings settings) =>
        ReadingPipeline.Define(new ReadingWork(heavy), _sum, new Arrived(), Dispatch.Batch()).Build(settings);

    /// <inheritdoc/>
    public void Fill(ref Reading slot, long number) => ReadingWork.Fill(ref slot, number);

    /// <inheritdoc/>
    public bool Check(long items)
    {
        List<ulong> values = s_values.GetOrAdd(heavy, static _ => []);
        lock (values)
        {
            Extend(values, items);
            var expected = new ReadingSum();
            for (int i = 0; i < items; i++) expected.Take(i, values[i]);
            return expected.Result == _sum.Result;
        }
    }

    // Computed once: a stage that hashes costs as much here as in the pipeline.
    private void Extend(List<ulong> values, long items)
    {
        var work = new ReadingWork(heavy);
        var one = new ReadingSum();
        while (values.Count < items)
        {
            one.Reset();
            PlanContestant.RunOne(work, one, values.Count, corrupt: null);
            values.Add(one.Result.Sum);
        }
    }
}
