using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>A wait that a test holds: no stage goes on from one while the gate is closed, whatever there is to do.</summary>
/// <remarks>So a test chooses who waits and for how long. It lets go, by disposal, before the pipeline ends.</remarks>
internal sealed class GatedWait() : PolledWait("gated"), IDisposable
{
    private int _inside;
    private bool _isOpen;

    /// <summary>Threads that wait.</summary>
    public int Inside => Volatile.Read(ref _inside);

    public void Open() => Volatile.Write(ref _isOpen, true);

    public void Close() => Volatile.Write(ref _isOpen, false);

    public void Dispose() => Open();

    protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Waiter(this);

    private sealed class Waiter(GatedWait gate) : PolledWaiter
    {
        public override void Wait(WaitView target)
        {
            Interlocked.Increment(ref gate._inside);
            var pause = new SpinWait();
            while (!target.IsOver || !Volatile.Read(ref gate._isOpen)) pause.SpinOnce();
            Interlocked.Decrement(ref gate._inside);
        }
    }
}
