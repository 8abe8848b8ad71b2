namespace Raceway.Micro;

/// <summary>A second thread that does its part again and again while the first one is measured.</summary>
internal sealed class Partner : IDisposable
{
    private readonly Thread _thread;
    private bool _stop;

    /// <param name="part">Some dozens of operations, so that looking for the end costs nothing.</param>
    public Partner(Action part)
    {
        _thread = new Thread(() =>
        {
            while (!Volatile.Read(ref _stop)) part();
        }) { IsBackground = true };
        _thread.Start();
    }

    public void Dispose()
    {
        Volatile.Write(ref _stop, true);
        _thread.Join();
    }
}
