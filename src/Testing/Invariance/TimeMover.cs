namespace Raceway.Testing;

/// <summary>For a run on threads: moves the virtual time to the next timer whenever one is set, so that no limit keeps a thread asleep.</summary>
internal sealed class TimeMover : IDisposable
{
    private readonly VirtualTime _time;
    private readonly SemaphoreSlim _set = new(0);
    private readonly Thread _thread;
    private volatile bool _ended;

    public TimeMover(VirtualTime time)
    {
        _time = time;
        time.TimerSet = () => _set.Release();
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
            if (_time.NextTimer is { } next) _time.Advance(next);
        }
    }
}
