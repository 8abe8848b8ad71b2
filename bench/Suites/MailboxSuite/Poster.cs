namespace Raceway.Suites.MailboxSuite;

/// <summary>A thread that is there already when a round begins, and posts when told to.</summary>
internal sealed class Poster : IDisposable
{
    private readonly ManualResetEventSlim _go = new();
    private readonly ManualResetEventSlim _done = new();
    private readonly Thread _thread;
    private Action? _action;

    public Poster()
    {
        _thread = new Thread(Loop) { IsBackground = true, Name = "poster" };
        _thread.Start();
    }

    /// <summary>Has it run, and waits for it.</summary>
    public void Run(Action action)
    {
        _action = action;
        _go.Set();
        _done.Wait();
        _done.Reset();
    }

    public void Dispose()
    {
        _action = null;
        _go.Set();
        _thread.Join();
    }

    private void Loop()
    {
        while (true)
        {
            _go.Wait();
            _go.Reset();
            if (_action is not { } action) return;
            action();
            _done.Set();
        }
    }
}

/// <summary>The most memory in use beyond what was at the start, looked at every millisecond.</summary>
internal sealed class MemoryPeak
{
    private readonly Thread _thread;
    private readonly long _before = GC.GetTotalMemory(forceFullCollection: true);
    private volatile bool _stop;
    private long _most;

    public MemoryPeak()
    {
        _thread = new Thread(Watch) { IsBackground = true, Name = "memory-peak" };
        _thread.Start();
    }

    public long Stop()
    {
        _stop = true;
        _thread.Join();
        return _most;
    }

    private void Watch()
    {
        while (!_stop)
        {
            _most = Math.Max(_most, GC.GetTotalMemory(forceFullCollection: false) - _before);
            Thread.Sleep(1);
        }
    }
}
