namespace Raceway.Suites.RingSuite;

/// <summary>How a contestant publishes one item. A struct, so that the open loop calls it directly.</summary>
internal interface ISender
{
    /// <summary>Publishes an item; waits where there is no room.</summary>
    void Send(long item);
}
