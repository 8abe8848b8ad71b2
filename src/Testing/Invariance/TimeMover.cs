namespace Raceway.Testing;

/// <summary>For a run on threads: moves the virtual time to the next timer as long as one is set, so that no limit keeps a thread asleep.</summary>
/// <remarks>
/// What a move has woken runs before the next move: a handler that has awaited a minute must not find that its time-out of an hour is
/// over as well. So a timer has to be the next one for a moment of the machine's time, in which the pool has nothing to do.
/// </remarks>
internal sealed class TimeMover : IDisposable
{
    private const int Moment = 15; // milliseconds
    private const int MostMoments = 40;

    private readonly VirtualTime _time;
    private readonly SemaphoreSlim _set = new(0);
    private readonly Thread _thread;
    private volatile bool _ended;

    public TimeMover(VirtualTime time)
    {
        _time = time;
        time.TimerSet = () => _set.Release();
        // Handlers that are made already may have set some.
        _set.Release();
        _thread = new Thread(Move) { IsBackground = true, Name = "virtual time" };
        _thread.Start();
    }

    public void Dispose()
    {
        _time.TimerSet = null;
        _ended = true;
        _set.Release();
        _thread.Join();
        _set.Dispose();
    }

    private void Move()
    {
        while (true)
        {
            _set.Wait();
            if (_ended) return;
            // The next round of a periodic timer is not set anew.
            while (Settled() is { } next) _time.Advance(next);
        }
    }

    private TimeSpan? Settled()
    {
        TimeSpan? next = _time.NextTimer;
        for (int i = 0; i < MostMoments && next is not null; i++)
        {
            Thread.Sleep(Moment);
            if (_ended) return null;
            TimeSpan? now = _time.NextTimer;
            if (now == next && ThreadPool.PendingWorkItemCount == 0) break;
            next = now;
        }

        return next;
    }
}
