using Npgsql;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>A handler that tells faults apart: for a server that is away it asks for its batch again, all else is left to the policy.</summary>
internal sealed class TellingHandler(RowTable table) : IOutcomeHandler<Row>
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(20);

    public BatchOutcome OnBatch(Batch<Row> batch)
    {
        try
        {
            table.OnBatch(batch);
            return BatchOutcome.Done;
        }
        catch (NpgsqlException fault) when (fault.IsTransient)
        {
            return BatchOutcome.RetryFrom(0, s_pause);
        }
    }
}
