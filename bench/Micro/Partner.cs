using Raceway.Measuring;

namespace Raceway.Micro;

/// <summary>A second thread that does its part again and again while the first one is measured.</summary>
/// <remarks>
/// Apart from the first one, where there are two processors: on the same one the two would never meet. Where there is
/// one only, these benchmarks say nothing.
/// </remarks>
internal sealed class Partner : IDisposable
{
    private readonly Thread _thread;
    private bool _stop;

    /// <param name="part">Some dozens of operations, so that looking for the end costs nothing.</param>
    public Partner(Action part)
    {
        _thread = new Thread(() =>
        {
            _ = Placement.Pin(1);
            while (!Volatile.Read(ref _stop)) part();
        }) { IsBackground = true };
        _thread.Start();
        // The measured thread is the benchmark's main one: it stays free, as threads that it starts take after it.
        Placement.StartApart(0);
    }

    public void Dispose()
    {
        Volatile.Write(ref _stop, true);
        _thread.Join();
    }
}
