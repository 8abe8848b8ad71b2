// wrong
Dispatch dispatch = Dispatch.Batch(64, 1, TimeSpan.FromMilliseconds(2)); // RACE010

// fixed
Dispatch dispatch = Dispatch.Batch(64, 2, TimeSpan.FromMilliseconds(2));
