using Raceway.Rings;

namespace Raceway.Interop.Logging.Writing;

/// <summary>While a caller waits for the writer, the writer waits for no further entries.</summary>
/// <remarks><b>Threads</b>: any.</remarks>
/// <param name="stage">The writer's stage.</param>
/// <param name="gathering">How it takes entries otherwise.</param>
/// <param name="atOnce">How it takes them then.</param>
internal sealed class Urgency(Stage stage, Dispatch gathering, Dispatch atOnce)
{
    private readonly Lock _gate = new();
    private int _waiting;

    /// <summary>A caller begins to wait.</summary>
    public void Begin()
    {
        lock (_gate)
            if (_waiting++ == 0) stage.Dispatch = atOnce;
    }

    /// <summary>It waits no more.</summary>
    public void End()
    {
        lock (_gate)
            if (--_waiting == 0) stage.Dispatch = gathering;
    }
}
