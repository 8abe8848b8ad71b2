using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Testing.Planted;

internal sealed class LosesItsBufferUponRetry(Table table, bool isMended) : IEventHandler<long>
{
    private readonly List<long> _buffer = [];

    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        _buffer.Add(item);
        if (!endOfBatch) return;
        long[] rows = [.. _buffer];
        if (!isMended) _buffer.Clear();
        try
        {
            table.WriteAll(rows);
            _buffer.Clear();
        }
        catch when (isMended)
        {
            // The item is given again, and those before it are not.
            _buffer.RemoveAt(_buffer.Count - 1);
            throw;
        }
    }
}

internal sealed class WritesAgainUponRetry(Table table, bool isMended) : IBatchHandler<long>
{
    public void OnBatch(Batch<long> batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            table.Write(batch[i]);
            if (isMended) batch.Complete(i + 1);
        }
    }
}

internal sealed class CountsBeforeItWrites(Table table, bool isMended) : IBatchHandler<long>
{
    public long Count { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        if (!isMended) Count += batch.Count;
        table.WriteAll(batch.ToArray());
        if (isMended) Count += batch.Count;
    }
}

internal sealed class MarksBeforeItWrites(Table table, bool isMended) : IBatchHandler<long>
{
    public void OnBatch(Batch<long> batch)
    {
        long[] rows = batch.ToArray();
        if (!isMended) batch.Complete(batch.Count);
        table.WriteAll(rows);
    }
}

internal sealed class SwallowsFaults(Table table, bool isMended) : IBatchHandler<long>
{
    public int Failed { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        try
        {
            table.WriteAll(batch.ToArray());
        }
        catch (Exception) when (!isMended)
        {
            Failed++;
        }
    }
}

internal sealed class OffersAgainWhatItHasDone(Table table, bool isMended) : IOutcomeHandler<long>
{
    public BatchOutcome OnBatch(Batch<long> batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            try
            {
                table.Write(batch[i]);
            }
            catch (Raceway.Testing.InjectedFaultException)
            {
                return BatchOutcome.RetryFrom(isMended ? i : 0);
            }
        }

        return BatchOutcome.Done;
    }
}

internal sealed class NeverGivesUp(bool isMended) : IOutcomeHandler<long>
{
    private int _attempts;

    public BatchOutcome OnBatch(Batch<long> batch)
    {
        // The second item can never be handled.
        for (int i = 0; i < batch.Count; i++)
        {
            if (batch[i] != 2) continue;
            return isMended && ++_attempts > 5 ? BatchOutcome.Skip(i) : BatchOutcome.RetryFrom(i, TimeSpan.FromMinutes(1));
        }

        return BatchOutcome.Done;
    }
}
