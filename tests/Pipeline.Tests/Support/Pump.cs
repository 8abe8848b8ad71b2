using System.Runtime.ExceptionServices;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Support;

/// <summary>The user's own loop for <see cref="Plan.Manual"/>, so that one test can be run under every plan.</summary>
internal sealed class Pump : IDisposable
{
    private readonly Thread _thread;
    private readonly ManualResetEventSlim _begun = new();
    private volatile bool _stop;
    private ExceptionDispatchInfo? _fault;

    private Pump(IReadOnlyList<Stage> stages, Task completion)
    {
        var driver = new ManualDriver(stages, seed: 17);
        _thread = new Thread(() => Run(driver, completion)) { IsBackground = true, Name = "pump" };
        _thread.Start();
        // A test that disposes right behind it must find a loop that runs.
        _begun.Wait();
    }

    /// <summary>Steps the pipeline until it has ended; null where it drives itself.</summary>
    public static Pump? For<T>(Pipeline<T> pipeline) =>
        pipeline.Plan == Plan.Manual ? new Pump(pipeline.Stages, pipeline.Completion) : null;

    /// <summary>The same for stages that have joined since.</summary>
    public static Pump? For<T>(Pipeline<T> pipeline, params Stage[] joined) =>
        pipeline.Plan == Plan.Manual ? new Pump(joined, pipeline.Completion) : null;

    public void Dispose()
    {
        _stop = true;
        _thread.Join();
        _begun.Dispose();
        _fault?.Throw();
    }

    private void Run(ManualDriver driver, Task completion)
    {
        _begun.Set();
        try
        {
            while (!_stop && !completion.IsCompleted)
                if (driver.RunUntilIdle() == 0) Thread.Yield();
        }
        catch (Exception fault)
        {
            _fault = ExceptionDispatchInfo.Capture(fault);
        }
    }
}
