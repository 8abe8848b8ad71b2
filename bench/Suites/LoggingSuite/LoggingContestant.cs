using Raceway.Measuring;

namespace Raceway.Suites.LoggingSuite;

/// <summary>Several threads log into one file as fast as they can. Timed until all of it is written and the logger closed.</summary>
internal sealed class LoggingContestant(LogTarget target, int threads) : ScenarioContestant(target.Name)
{
    // Logged before the time begins: buffers that are made once are there then.
    private const int Before = 2 * LoggingCases.Capacity;

    private readonly LogFolder _folder = new();
    private LogSession? _session;
    private Thread[] _threads = [];
    private ManualResetEventSlim? _go;
    private int[] _counts = [];
    private Exception? _fault;

    public override int BusyThreads => threads + 1;

    // A file of 100 MB.
    public override long MaxOperations => 1_000_000;

    // Each thread logs as many.
    protected override long Rounded(long operations) => Math.Max(threads, operations / threads * threads);

    protected override void Prepare(long operations)
    {
        int each = (int)(operations / threads);
        _session = target.Open(_folder.NewFile());
        for (int id = 0; id < Before; id++) _session.Log(threads, id);
        _counts = [.. Enumerable.Repeat(each, threads), Before];
        _go = new ManualResetEventSlim();
        (ManualResetEventSlim go, LogSession session) = (_go, _session);
        _threads = [.. Enumerable.Range(0, threads).Select(thread => new Thread(() => Log(session, go, thread, each)) { IsBackground = true })];
        foreach (Thread thread in _threads) thread.Start();
    }

    protected override void Work(long operations, CancellationToken cancellation)
    {
        _go!.Set();
        foreach (Thread thread in _threads) thread.Join();
        _session!.Dispose();
    }

    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        _go!.Dispose();
        bool right = _fault is null && LogReading.IsRight(_folder.File, _counts);
        _folder.Delete();
        return right;
    }

    private void Log(LogSession session, ManualResetEventSlim go, int thread, int count)
    {
        try
        {
            go.Wait();
            for (int id = 0; id < count; id++) session.Log(thread, id);
        }
        catch (Exception fault)
        {
            _fault = fault;
        }
    }
}
