namespace Raceway.Interop.Journal.Writing;

/// <summary>Syncs a journal at an interval, beside the thread that writes.</summary>
internal sealed class IntervalSync : IDisposable
{
    private readonly JournalWriter _writer;
    private readonly ITimer _timer;
    private int _runs;

    public IntervalSync(JournalWriter writer, TimeProvider time, TimeSpan interval)
    {
        _writer = writer;
        _timer = time.CreateTimer(static state => ((IntervalSync)state!).Sync(), this, interval, interval);
    }

    public void Dispose() => _timer.Dispose();

    private void Sync()
    {
        // A sync that takes longer than the interval has no second one beside it.
        if (Interlocked.Exchange(ref _runs, 1) != 0) return;
        try
        {
            _writer.Sync();
        }
        catch (Exception)
        {
            // The writer has kept it: waiters are told now, the stage at its next batch.
        }
        finally
        {
            Volatile.Write(ref _runs, 0);
        }
    }
}
