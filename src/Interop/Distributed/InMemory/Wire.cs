namespace Raceway.Interop.Distributed;

/// <summary>What travels.</summary>
internal enum WireKind
{
    Frames,
    Confirms,
    Deliveries,
    Acknowledgements,
    Connecting,
}

/// <summary>Things of one connection on their way in one direction, in order. All with the broker's lock held.</summary>
internal sealed class Wire(InMemoryBroker broker, WireKind kind)
{
    private static long s_clock;

    private readonly List<Travelling> _things = [];

    /// <summary>What to do when the connection is lost by a fault of this wire.</summary>
    public Func<Action?>? OnLost { get; set; }

    /// <summary>Whether what came last is still being taken.</summary>
    public bool IsBusy { get; private set; }

    public bool IsMovable => _things.Count > 0 && !IsBusy;

    public bool IsEmpty => _things.Count == 0;

    /// <summary>When the next thing was sent.</summary>
    public long Oldest => _things[0].At;

    /// <summary>Puts a thing on its way. Its arrival may return what is to be done without the lock.</summary>
    public void Send(Func<Action?> arrive)
    {
        _things.Add(new Travelling(arrive, ++s_clock));
        broker.OnMovable();
    }

    public bool Accepts(WireFault fault) => fault switch
    {
        WireFault.None => true,
        WireFault.Duplicate => kind == WireKind.Frames,
        WireFault.Reorder => kind is WireKind.Deliveries && _things.Count > 1,
        _ => kind != WireKind.Connecting,
    };

    public Action? Move(WireFault fault)
    {
        int index = fault == WireFault.Reorder ? 1 : 0;
        Travelling thing = _things[index];
        _things.RemoveAt(index);
        // What is sent twice outlives its connection.
        if (fault == WireFault.Duplicate) broker.NewWire(WireKind.Connecting).SendStray(thing);
        Action? arrived = fault == WireFault.Drop ? null : thing.Arrive();
        Action? lost = fault is WireFault.Drop or WireFault.Disconnect ? OnLost?.Invoke() : null;
        return arrived + lost;
    }

    /// <summary>Everything on it is lost.</summary>
    public void Clear() => _things.Clear();

    public void BeginBusy() => IsBusy = true;

    public void EndBusy()
    {
        IsBusy = false;
        if (_things.Count > 0) broker.OnMovable();
    }

    private void SendStray(Travelling thing) => Send(() =>
    {
        broker.Remove(this);
        return thing.Arrive();
    });

    private readonly record struct Travelling(Func<Action?> Arrive, long At);
}
