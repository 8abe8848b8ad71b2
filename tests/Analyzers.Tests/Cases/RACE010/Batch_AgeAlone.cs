// wrong
var dispatch = Dispatch.Batch(max: 256, maxAge: TimeSpan.FromMilliseconds(5)); // RACE010
Console.WriteLine(dispatch);

// fixed
var dispatch = Dispatch.Batch(max: 256, min: 2, maxAge: TimeSpan.FromMilliseconds(5));
Console.WriteLine(dispatch);
