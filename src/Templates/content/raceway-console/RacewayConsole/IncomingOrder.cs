namespace RacewayConsole;

/// <summary>What travels through the pipeline. A struct lies in the ring's slots: nothing is allocated per item.</summary>
public struct IncomingOrder
{
    public string Text;
    public long Cents;
}
