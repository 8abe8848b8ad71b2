using Real = System.Threading;

namespace Raceway.Explorer.Engine;

/// <summary>Ends the process where a modelled thread loops without ever touching what is modelled: nothing else could.</summary>
internal sealed class Watchdog : IDisposable
{
    private const int MostLooks = 12;
    private static readonly TimeSpan s_look = TimeSpan.FromSeconds(5);

    private readonly Model _model;
    private readonly Real.Timer _timer;
    private (long Executions, int Steps) _last;
    private int _same;

    public Watchdog(Model model)
    {
        _model = model;
        _timer = new Real.Timer(_ => Look(), null, s_look, s_look);
    }

    public void Dispose() => _timer.Dispose();

    private void Look()
    {
        (long Executions, int Steps) now = (_model.Executions, _model.Steps);
        _same = _model.IsRunning && now == _last ? _same + 1 : 0;
        _last = now;
        if (_same >= MostLooks)
        {
            System.Environment.FailFast(
                $"An execution has not moved for a minute, at step {now.Steps}: a loop without a modelled access?");
        }
    }
}
